// Brings together what the ranks of a point measured.
#pragma once

#include <cstdint>
#include <vector>

#include "core/reporting/point/rank_steps.h"
#include "core/reporting/record/records.h"
#include "engine/process/rank_group.h"
#include "engine/running/window.h"

namespace scalemark::running {

// Fills in what the window says of this rank. `tokens_per_sample`: of text, else 0.
void note_window(const Window& window, std::int64_t tokens_per_sample,
                 reporting::RankMeasurement& measured);

struct OverRanks {
  std::vector<reporting::RankMeasurement> ranks;  // on the group's rank 0, in rank order
  reporting::StepSeries series;                   // of the slowest rank of each step, on every rank
};

// Collective. The times of a dedicated server count for nothing. Throws bug() where ranks have
// different numbers of steps.
OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group);

}  // namespace scalemark::running
