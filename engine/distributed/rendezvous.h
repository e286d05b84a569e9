// How the ranks of one run meet: one store, under the run's own key prefix, that every rank has
// signed. Knows no collectives.
#pragma once

#include <chrono>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/launching/world.h"

namespace scalemark::distributed {

struct Joined {
  c10::intrusive_ptr<c10d::Store> store;  // keys of this run only
  double seconds = 0;                     // spent joining
  bool hosts_store = false;               // the store's server is in this process
};

// Returns when every rank of the world has joined. Throws, at the latest a little after `timeout`:
//   E_RENDEZVOUS (69)      the address does not resolve or answer, or ranks are missing; named
//   E_DUPLICATE_RANK (78)  this rank has joined this run already: two processes with one rank
//   E_RANKS_DISAGREE (76)  rank 0 was started with another world size; every rank learns it
// Jobs with different run ids may share a store; a job whose port is held by another job is told
// which.
Joined join(const launching::World& world, const launching::Rendezvous& rendezvous,
            std::chrono::milliseconds timeout);

}  // namespace scalemark::distributed
