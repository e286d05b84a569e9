// Addresses and run ids: reading --rendezvous, and the values that every rank must derive alike
// from its options and environment. Pure; does not open or resolve anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/launching/world.h"

namespace scalemark::launching {

// HOST, HOST:PORT, [IPV6]:PORT or file:PATH; a bare HOST leaves port 0. Absent when it is none of
// these.
std::optional<Rendezvous> parse_rendezvous(std::string_view text);

// 16 hexadecimal digits that depend on the address (or the path), the port, and `job`: the user and
// the scheduler's job, which differ between jobs at one address and are equal within one. They do
// not depend on settings: ranks whose settings differ must still meet, to get an error. Host names
// are compared without case.
std::string hashed_run_id(const Rendezvous& rendezvous, std::string_view job = {});

// A port in [20000, 32000), below the range from which the kernel hands out ports.
std::uint16_t derived_port(std::string_view run_id);

bool is_loopback(std::string_view host);

}  // namespace scalemark::launching
