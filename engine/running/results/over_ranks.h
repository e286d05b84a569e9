// Brings together what the ranks of a point measured.
#pragma once

#include <vector>

#include "core/reporting/point/rank_steps.h"
#include "core/reporting/record/records.h"
#include "engine/process/rank_group.h"

namespace scalemark::running {

struct OverRanks {
  std::vector<reporting::RankSummary> ranks;  // on the group's rank 0, in rank order
  reporting::StepSeries series;               // of the slowest rank of each step, on every rank
};

// Collective. The times of a dedicated server (`serves`) count for nothing. Throws bug() where
// ranks have different numbers of steps.
OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group,
                     bool serves);

}  // namespace scalemark::running
