// Gloo backends, and the network interface that they use. Knows neither points nor settings.
#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/launching/world.h"

namespace scalemark::distributed {

// The interface for this rank's Gloo traffic: GLOO_SOCKET_IFNAME when it is set (refused with 78
// when this host has no such interface), "lo" when every rank is on one host, else the interface
// that leads to the rendezvous address, or when ranks meet by file, the one of this host's own
// name; never the loopback interface between hosts.
std::string gloo_interface(const launching::World& world, const launching::Rendezvous& rendezvous,
                           std::chrono::milliseconds limit);

// Connects rank `rank` of `size` to all others under the store's keys. Collectives fail after
// `timeout`. Throws what c10d throws; translate_collective_error() turns it into an Error.
c10::intrusive_ptr<c10d::Backend> make_gloo_backend(c10::intrusive_ptr<c10d::Store> store, int rank,
                                                    int size, std::chrono::milliseconds timeout,
                                                    const std::string& interface);

}  // namespace scalemark::distributed
