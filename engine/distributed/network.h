// Which network interface leads to an address, as the kernel says without sending anything, and who
// listens there. Knows nothing of stores or collectives.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace scalemark::distributed {

// Throws E_RENDEZVOUS (69) when the name does not resolve, or not within the limit, or when the
// kernel knows no way to any of its addresses. Without this check torch would keep trying until its
// own, much longer deadline.
void require_route(const std::string& host, std::chrono::milliseconds limit);

// Whether one of the name's addresses is this host's; false for a name that does not resolve.
bool leads_here(const std::string& host);

// The answer of a listener at host:port to a browser's request. A store of ranks does not answer
// one, nor does a listener that nobody serves yet.
struct Answer {
  std::string failure;  // why there is no connection: "Connection refused"; empty: there is one
  std::string line;     // the first line of the answer; empty: none
};
Answer answer_at(const std::string& host, std::uint16_t port);

// Returns the name of the interface whose address the kernel would use towards host:port ("eth0",
// "lo"). Throws E_RENDEZVOUS (69) when there is no route.
//
// For ranks on several hosts (`several`) it is never the loopback interface, which no other host
// reaches, although Debian's /etc/hosts gives a machine's own name the address 127.0.1.1. The
// choice is then the next address of the name, the interface that leads out of this host, or the
// only one there is. Throws E_CONFIGURATION (78) when none is left. 127.0.0.1, ::1 and "localhost"
// mean that all ranks are on this machine, whatever their launcher says.
std::string interface_towards(const std::string& host, std::uint16_t port, bool several,
                              std::chrono::milliseconds limit);

// Does the same towards this host's own name, for ranks on several hosts that share no address.
std::string interface_of_own_name(std::chrono::milliseconds limit);

// Throws E_SYSTEM (71) when the loopback interface, over which ranks of one host communicate, is
// down.
void require_loopback();

}  // namespace scalemark::distributed
