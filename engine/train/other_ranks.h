// A training that goes on with more or fewer ranks than wrote its checkpoint: what may differ then,
// its batch and learning rate, and the state of a rank.
#pragma once

#include <map>
#include <string>

#include "core/settings/settings.h"
#include "engine/train/checkpoint_files.h"
#include "workloads/weights/safetensors.h"

namespace scalemark::running {

// CheckpointManifest::same, which must be equal. It stays that of the ranks with
// which a training began, so that batch and rate do not depend on the numbers in between.
using Sameness = std::map<std::string, std::string>;

// Returns `now` with what follows from the number of ranks as it was, where it agrees with that:
// the batch by rank or in all, the rate by sample (--lr-scaling), threads, kinds of machines. With
// as many ranks as before it returns `now`. Throws configuration() (78) for a strategy whose
// training needs the number of ranks with which it began. Pure.
Sameness as_on_other_ranks(const Sameness& before, Sameness now);

// Sets batch size, accumulation and learning rate to those with which a training that began as
// `before` goes on with the ranks of `settings`: the global batch is kept where it divides, by
// accumulation where the batch of a rank may stay; else the batch of a rank is kept. Returns the
// sentence that says so; empty, with nothing set, where it began with as many ranks. Pure.
std::string set_sizes(const Sameness& before, settings::Settings& settings);

// Returns the state with which rank `rank` goes on. `state` is its own at its start: generators of
// ranks that have no file stay as they are. Measurements of the epoch so far become rank 0's.
// Throws as read_state(), and bad_data() (65) where the files do not hold all of it.
workloads::NamedTensors state_of_other_ranks(const FoundCheckpoint& from, int rank,
                                             workloads::NamedTensors state);

}  // namespace scalemark::running
