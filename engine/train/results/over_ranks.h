// Collects what the ranks of a point measured: as records on rank 0 and, for --raw-steps, as every
// value in one file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/distributed/control_group.h"
#include "engine/process/rank_group.h"
#include "engine/train/point.h"
#include "engine/train/window.h"
#include "report/judge/point/rank_steps.h"
#include "report/record/records.h"

namespace scalemark::running {

// Fills in the window's values for this rank. `tokens_per_sample` is for text, else 0.
void note_window(const Window& window, std::int64_t tokens_per_sample,
                 reporting::RankMeasurement& measured);

// The group's rank 0 has the `ranks`, in rank order; every rank has the `series`, which holds the
// slowest rank's time of each step.
struct OverRanks {
  std::vector<reporting::RankMeasurement> ranks;
  reporting::StepSeries series;
};

// Collective. The times of a dedicated server do not count. Throws bug() where ranks have different
// numbers of steps.
OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group);

// Returns every value of the window, as the rank's part of the file.
reporting::RawPart raw_steps(const Window& window, const std::vector<reporting::CostBlock>& blocks);

struct RawStepsPlace {
  std::filesystem::path output;  // folder of the report; only rank 0's value counts
  std::string point;             // the point's id
};

// Collective over `control`, whose rank 0 is that of the run. Rank 0 receives the ranks'
// outcome.raw_steps in rounds and writes them as they arrive, so that it holds no more than 16 MiB
// of them at a time, in at most three copies, however many steps and ranks there are. Sets
// outcome.raw_steps_file, or not_saved where the disk fails. `after_round` reports progress to a
// watchdog. Does nothing where no steps were asked for.
void save_raw_steps(distributed::ControlGroup& control, const RawStepsPlace& place,
                    PointOutcome& outcome, const std::function<void()>& after_round);

// Does the same for the outcome of a one-rank point that ran elsewhere.
void save_raw_steps(const RawStepsPlace& place, PointOutcome& outcome);

}  // namespace scalemark::running
