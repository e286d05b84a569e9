// Which network interface leads to an address, asked from the kernel without sending anything, and
// who listens there. Knows nothing of stores or collectives.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace scalemark::distributed {

// Throws E_RENDEZVOUS (69) when the name does not resolve, or has not within the limit, or when the
// kernel knows no way to any of its addresses: torch would go on asking until its own, much longer
// deadline.
void require_route(const std::string& host, std::chrono::milliseconds limit);

// Whether a name's address is one of this host; one that does not resolve is none.
bool leads_here(const std::string& host);

// How a stranger is answered at host:port, asked as a browser asks: a store of ranks says nothing
// to that, nor does a listener that nobody serves yet.
struct Answer {
  std::string failure;  // why there is no connection: "Connection refused"; empty: there is one
  std::string line;     // the first that was said; empty: nothing
};
Answer answer_at(const std::string& host, std::uint16_t port);

// The name of the interface whose address the kernel would use towards host:port ("eth0", "lo").
// Throws E_RENDEZVOUS (69) when there is no route.
//
// With ranks on several hosts (`several`) never the loopback interface, which no other host
// reaches, although Debian's /etc/hosts gives a machine's own name the address 127.0.1.1: then the
// next address of the name, the interface that leads out of this host, or the only one there is.
// Throws E_CONFIGURATION (78) when that leaves none. 127.0.0.1, ::1 and "localhost" mean that all
// ranks are on this machine, whatever their launcher says.
std::string interface_towards(const std::string& host, std::uint16_t port, bool several,
                              std::chrono::milliseconds limit);

// The same for ranks on several hosts that share no address: towards this host's own name.
std::string interface_of_own_name(std::chrono::milliseconds limit);

// Throws E_SYSTEM (71) when the loopback interface, over which ranks of one host talk, is down.
void require_loopback();

}  // namespace scalemark::distributed
