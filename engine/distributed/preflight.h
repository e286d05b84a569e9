// Ranks with different settings compute wrong numbers before they fail: through the store, every
// rank compares its facts to rank 0's before the first collective. Knows no settings: it compares
// names and texts.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <vector>

#include "engine/distributed/error_store.h"

namespace scalemark::distributed {

// Ranks must agree on these: "settings.batch_size" -> "32".
using Facts = std::map<std::string, std::string>;

// One line per key that differs, in key order: "batch_size is 32; rank 0 has 64".
std::vector<std::string> differences(const Facts& of_rank_0, const Facts& mine);

// Returns when every rank of the world has found its facts equal to rank 0's. Otherwise every rank
// throws E_RANKS_DISAGREE (76) naming each rank (16 of them), key and both values; one that does
// not answer within the limit is E_PEER_LOST (69), or the cause that it posted.
void preflight(const c10::intrusive_ptr<c10d::Store>& store, int world_size, const Facts& mine,
               ErrorStore& error_store, std::chrono::milliseconds limit);

}  // namespace scalemark::distributed
