// All pairs of a group's ranks, as many at once as can be, measured again in several passes.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "engine/communicating/links/link_probe.h"
#include "engine/process/rank_group.h"

namespace scalemark::communicating {

struct PairTimes {
  int a = 0, b = 0;  // ranks within the group, a < b
  std::vector<LinkTime> passes;
};

using Rounds = std::vector<std::vector<std::pair<int, int>>>;  // ranks of the group, a < b

// Collective over the group. All rounds once per pass; a pass's time of a pair is that of its
// slower rank. `between`: called on each rank between two rounds. The result is rank 0's; the
// others get none.
std::vector<PairTimes> measure_pairs(process::RankGroup& rank_group, const Rounds& rounds,
                                     int passes, const LinkEffort& effort,
                                     const std::function<void()>& between);

// Collective over the group: each rank with the next one of a ring, one pass. As above.
std::vector<PairTimes> measure_ring(process::RankGroup& rank_group, const LinkEffort& effort,
                                    const std::function<void()>& between);

}  // namespace scalemark::communicating
