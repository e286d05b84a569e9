// How the ranks of one run meet: one store, under the run's own key prefix, in which each has its
// place. Knows no collectives.
#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/launching/world.h"

namespace scalemark::distributed {

struct Joined {
  c10::intrusive_ptr<c10d::Store> store;  // keys of this run only
  double seconds = 0;                     // spent joining
  bool hosts_store = false;               // the store's server is in this process
};

// Returns when every rank of the world has joined; throws, at the latest some seconds after
// `timeout`, what meet() throws (meeting.h), and E_RENDEZVOUS (69) when the address does not
// resolve or answer. `fingerprint`: of what the ranks should have in common. Jobs with different
// run ids may share a store; an error names the job that holds the port.
Joined join(const launching::World& world, const launching::Rendezvous& rendezvous,
            std::chrono::milliseconds timeout, const std::string& fingerprint = {});

}  // namespace scalemark::distributed
