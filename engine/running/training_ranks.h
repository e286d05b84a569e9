// Which training ranks one process of a point computes. Batches, seeds, averages and evaluation go
// by these; control traffic, stops and watchdogs go by processes (process::RankGroup). Pure.
#pragma once

#include "core/launching/world.h"
#include "core/settings/settings.h"

namespace scalemark::running {

struct TrainingRanks {
  int first = 0, count = 1;  // count 0: a dedicated server, which trains nothing
  int world_size = 1;        // of all processes together

  bool serves() const { return count == 0; }

  // The i-th of them by itself.
  TrainingRanks one(int i) const {
    return {.first = first + i, .count = 1, .world_size = world_size};
  }
};

// Describes the process of `group`: its rank among the point's processes, and their number. Throws
// bug() where the settings' sizes were resolved for another number of processes.
TrainingRanks training_ranks_of(const settings::Settings& settings, const launching::World& group);

}  // namespace scalemark::running
