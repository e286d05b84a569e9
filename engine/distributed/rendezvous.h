// How the ranks of one run come together before the first collective: they meet in one store, under
// the run's own key prefix, in which each has its place, and compare what they should have in
// common. Knows no collectives and no settings.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "core/launch/world.h"
#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

struct Joined {
  c10::intrusive_ptr<c10d::Store> store;  // keys of this run only
  double seconds = 0;                     // spent joining
  bool hosts_store = false;               // the store's server is in this process
};

// Returns when every rank of the world has joined; throws, at the latest some seconds after
// `timeout`, what meet() throws (meeting.h), and E_RENDEZVOUS (69) when the address does not
// resolve or answer. `digest`: of what the ranks should have in common. Jobs with different
// run ids may share a store; an error names the job that holds the port.
Joined join(const launching::World& world, const launching::Rendezvous& rendezvous,
            std::chrono::milliseconds timeout, const std::string& digest = {});

// Ranks must agree on these, names and texts: "settings.batch_size" -> "32". With different
// settings they would compute wrong numbers before they fail.
using Facts = std::map<std::string, std::string>;

// One line per key that differs, in key order: "batch_size is 32; rank 0 has 64".
std::vector<std::string> differences(const Facts& of_rank_0, const Facts& mine);

// Returns when every rank of the world has found its facts equal to rank 0's. Otherwise every rank
// throws E_RANKS_DISAGREE (76) naming each rank (16 of them), key and both values; one that does
// not answer within the limit is E_PEER_LOST (69), or the cause that it posted.
void preflight(const c10::intrusive_ptr<c10d::Store>& store, int world_size, const Facts& mine,
               ErrorStore& error_store, std::chrono::milliseconds limit);

}  // namespace scalemark::distributed
