// One point: from settings and a group to each rank's measurements.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/plan/plan.h"
#include "core/settings/settings.h"
#include "engine/process/rank_group.h"
#include "engine/train/checkpoints.h"
#include "engine/train/window.h"
#include "engine/train/workload_data.h"
#include "report/judge/point/rank_steps.h"
#include "report/keep/raw_steps.h"
#include "report/record/records.h"

namespace scalemark::running {

struct PointOutcome {
  // Filled on the group's rank 0, in rank order, a dedicated server last; empty elsewhere.
  std::vector<reporting::RankMeasurement> ranks;
  reporting::StepSeries series;                    // over the ranks; each rank has it
  std::vector<reporting::Evaluation> evaluations;  // empty without --epochs
  std::vector<reporting::Resumption> resumed;
  // --raw-steps: this rank's steps; save_raw_steps() takes them.
  std::optional<reporting::RawPart> raw_steps;
  std::optional<reporting::RawStepsRecord> raw_steps_file;  // set once the file was saved
  bool stopped = false;  // a stop came before the end of the measurements
  std::string kept;      // a stopped training of epochs says here from where it goes on
  // Why --save, --raw-steps or --trace failed; the rest is valid.
  std::optional<ErrorRecord> not_saved;
  // Time in warm-up, window and the steps for --communication-cost and --trace.
  double measuring_s = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<PointOutcome>& o) {
  a.values(o.ranks, o.series, o.raw_steps, o.not_saved, o.measuring_s);
  a.stays(o.evaluations, o.resumed, o.raw_steps_file, o.stopped, o.kept);
}

// Returns the steps of the learning-rate schedule without --epochs: those of warm-up and window
// when both are given, else a nominal 1000, or --iters when that is more.
std::int64_t scheduled_steps(const settings::MeasuringSettings& measuring);

// A point's training uses these on one rank.
struct PointContext {
  process::RankGroup& rank_group;
  const settings::Settings& settings;
  const planning::RunLength& length;
  const catalogue::Workload& workload;
  const WorkloadData& data;
  StepWatch& watch;
};

// Collective over the group. Builds the network, warms up and measures (or trains for --epochs),
// and gathers. `checkpoints` is for --epochs. `trace_folder` is for this measured run alone; empty:
// no trace.
using EpochReport = std::function<void(const reporting::Evaluation&)>;
PointOutcome run_point(const PointContext& point, const EpochReport& report_epoch,
                       CheckpointOptions checkpoints = {},
                       const std::filesystem::path& trace_folder = {});

}  // namespace scalemark::running
