// The provider of Gloo, and the network interface that it uses. Knows neither points nor settings.
#pragma once

#include <chrono>
#include <string>

#include "core/launching/world.h"
#include "engine/distributed/backend.h"

namespace scalemark::distributed {

// The interface for this rank's Gloo traffic: GLOO_SOCKET_IFNAME when it is set (refused with 78
// when this host has no such interface), "lo" when every rank is on one host, else the interface
// that leads to the rendezvous address, or when ranks meet by file, the one of this host's own
// name; never the loopback interface between hosts.
std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit);

// Gloo: it serves CPU tensors, and a GPU's by copying them; it carries every group's control
// traffic.
const BackendProvider& gloo();

}  // namespace scalemark::distributed
