// Which network interface leads to an address, asked from the kernel. Sends nothing, and knows
// nothing of stores or collectives.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace scalemark::distributed {

std::string local_host_name();

// Throws E_RENDEZVOUS (69) when the name does not resolve, or has not within the limit: torch would
// go on asking until its own, much longer deadline.
void require_resolvable(const std::string& host, std::chrono::milliseconds limit);

// The name of the interface whose address the kernel would use towards host:port ("eth0", "lo").
// Throws E_RENDEZVOUS (69) when there is no route.
std::string interface_towards(const std::string& host, std::uint16_t port,
                              std::chrono::milliseconds limit);

}  // namespace scalemark::distributed
