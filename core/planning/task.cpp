#include "core/planning/task.h"

#include <algorithm>
#include <utility>

#include "core/settings/cuda_graphs.h"

namespace scalemark::planning {
namespace {

// A batch that fits survives these: the first step makes the optimizer's state, a graph is captured
// before the window.
RunLength trial_length(const settings::Settings& settings) {
  return {.warmup_iters = settings.parallel.cuda_graphs ? settings::kStepsBeforeGraph + 1 : 1,
          .iters = 2};
}

void lower(std::optional<double>& most, double to) { most = std::min(to, most.value_or(to)); }

}  // namespace

settings::Settings settings_of(const Plan& plan, const Task& task) {
  const PlannedPoint& point = plan.points[task.run.point];
  settings::Settings settings = point.settings;
  const bool is_trial = task.kind == Task::Kind::kTrial;
  if (is_trial) settings.measuring.communication_cost = false;
  if (is_trial) settings.general.tensorboard.clear();
  if (is_trial || task.run.repetition > 0) settings.measuring.trace.clear();
  if (task.batch_size == 0) return settings;
  return with_batch_size(std::move(settings), task.batch_size, point.world_size);
}

RunLength length_of(const Plan& plan, const Task& task) {
  const PlannedPoint& point = plan.points[task.run.point];
  if (task.kind == Task::Kind::kTrial) return trial_length(point.settings);
  return task.cut ? cut_short(point, *task.cut) : point.length;
}

RunLength cut_short(const PlannedPoint& point, const TimeCut& cut) {
  RunLength length = point.length;
  if (!length.warmup_iters) {
    lower(length.most_warmup_s, cut.warmup_s);
    length.least_warmup_s = std::min(length.least_warmup_s, *length.most_warmup_s);
  }
  if (!length.iters) {
    lower(length.most_window_s, std::max(cut.window_s, point.settings.measuring.min_time_s));
    length.least_window_s = std::min(length.least_window_s, *length.most_window_s);
  }
  return length;
}

}  // namespace scalemark::planning
