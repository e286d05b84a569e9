// How the ranks of one run come together before the first collective: they meet in one store, where
// each has its place under the run's own key prefix, and compare what they should have in common.
// Knows no collectives and no settings.
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
  c10::intrusive_ptr<c10d::Store> store;  // holds keys of this run only
  double seconds = 0;                     // time spent on joining
  bool hosts_store = false;               // the store's server is in this process
};

// Returns when every rank of the world has joined. Throws what meet() throws (meeting.h), at the
// latest some seconds after `timeout`, and E_RENDEZVOUS (69) when the address does not resolve or
// answer. `digest` stands for what the ranks should have in common. Jobs with different run ids may
// share a store; an error names the job that holds the port. `launcher` tells of a killed rank.
Joined join(const launching::World& world, const launching::Rendezvous& rendezvous,
            std::chrono::milliseconds timeout, const std::string& digest = {},
            const ErrorStore::AskLauncher& launcher = {});

// Every wait for other ranks calls it from time to time: throws the fault that another rank posted
// (throw_posted_error()), or, once a signal was received, an error; the caller has the signal's
// own.
void throw_if_run_ends(c10d::Store& store, ErrorStore& error_store);

// Names and texts that must be equal on all ranks: "settings.batch_size" -> "32". With different
// settings ranks would compute wrong numbers before they fail.
using Facts = std::map<std::string, std::string>;

// One line per key that differs, in key order: "batch_size is 32; rank 0 has 64".
std::vector<std::string> differences(const Facts& of_rank_0, const Facts& mine);

// Returns when every rank of the world has found its facts equal to rank 0's. Otherwise every rank
// throws E_RANKS_DISAGREE (76) with each differing rank (16 at most), key and both values. A rank
// that does not answer within the limit is E_PEER_LOST (69), or the cause that it posted.
void preflight(const c10::intrusive_ptr<c10d::Store>& store, int world_size, const Facts& mine,
               ErrorStore& error_store, std::chrono::milliseconds limit);

}  // namespace scalemark::distributed
