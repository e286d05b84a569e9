// Opens the c10d store that a Rendezvous names: TCPStore, FileStore, or HashStore for one process.
// Knows nothing of what is written into it.
#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/launching/world.h"

namespace scalemark::distributed {

struct OpenedStore {
  c10::intrusive_ptr<c10d::Store> store;
  bool hosts = false;  // its server is in this process
};

// In words, for messages: "host:port" or "file F".
std::string place_of(const launching::Rendezvous& at);

// " (RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT are set)": what says that there are other ranks,
// which may be left from another job. Empty: our own launcher says so.
std::string told_by(const launching::World& world);

// Throws E_RENDEZVOUS (69) when the name of a place that is an address does not resolve within the
// limit, or no route leads there.
void require_way_to(const launching::World& world, const launching::Rendezvous& at,
                    std::chrono::milliseconds limit);

// Throws E_RENDEZVOUS (69) when the store cannot be reached or opened within the timeout, or when
// another run's store listens at the address; E_CONFIGURATION (78) when several ranks have no place
// to meet.
OpenedStore open_store(const launching::World& world, const launching::Rendezvous& at,
                       std::chrono::milliseconds timeout);

}  // namespace scalemark::distributed
