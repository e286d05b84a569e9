// Where the ranks of a run meet, and by which run id and which secret they know each other. Does
// not open or resolve an address.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/launch/world.h"

namespace scalemark::launching {

// Every rank must derive addresses and run ids alike from its options and environment.

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

// The secret that keeps other processes from a run's keys is read from a file on every node, or
// made by a launcher that starts all ranks. Only the digest of a token is kept.

struct RunToken {
  std::string secret;  // Rendezvous::secret gets it
  std::string note;    // a warning when others may read the file; else empty
};

// Blanks at the end of the file do not count. Throws E_NO_INPUT (66) when it is not there,
// E_PERMISSION (77) when it may not be read, E_BAD_DATA (65) when it holds fewer than 16 characters
// or more than 4 KiB.
RunToken read_run_token(const std::string& path);

struct Secret {
  std::string text;  // without blanks at its end
  std::string note;  // a warning when others may read the file; else empty
};

// The token of --metrics-token, as it is. Throws as read_run_token() does, and E_BAD_DATA (65) for
// one that no HTTP header takes.
Secret read_metrics_token(const std::string& path);

// 32 hexadecimal digits that nobody can guess. Throws Error (71).
std::string random_secret();

}  // namespace scalemark::launching
