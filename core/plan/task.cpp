#include "core/plan/task.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/plan/estimates.h"
#include "core/settings/notes.h"

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

namespace {

constexpr std::int64_t kMultiple = 8;
constexpr std::int64_t kMostSamples = 1 << 20;  // no batch per rank is larger than that on purpose

}  // namespace

std::optional<std::int64_t> BatchFinder::next() const {
  if (!too_large_) {
    if (fits_ >= kMostSamples) return std::nullopt;
    return fits_ == 0 ? least_ : 2 * fits_;
  }
  const std::int64_t middle = (fits_ + *too_large_) / 2 / kMultiple * kMultiple;
  if (middle > fits_ && middle < *too_large_) return middle;
  return std::nullopt;
}

void BatchFinder::tried(bool fits) {
  const auto batch = next();
  if (!batch) throw bug("a batch search that is over got an answer");
  if (fits) {
    fits_ = *batch;
  } else {
    too_large_ = *batch;
  }
}

namespace {

double estimate_of(const Plan& plan, const Task& task) {
  return estimated_step_s(settings_of(plan, task), plan.points[task.run.point].world_size);
}

bool holds(const Slice& slice, std::size_t point) {
  return slice.baseline == point || slice.solo == point || std::ranges::count(slice.rows, point);
}

bool share_a_slice(const Plan& plan, std::size_t a, std::size_t b) {
  return std::ranges::any_of(
      plan.slices, [&](const Slice& slice) { return holds(slice, a) && holds(slice, b); });
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

void DurationModel::note(const Task& task, const RunTimes& times) {
  const double estimate = estimate_of(plan_, task);
  if (estimate <= 0 || times.step_s <= 0) return;
  Measured& point = measured_[task.run.point];
  point.log_of_ratio.push_back(std::log(times.step_s / estimate));
  point.outside_s = times.outside_s;
}

std::vector<double> DurationModel::nearest_ratios(std::size_t point) const {
  const auto own = measured_.find(point);
  if (own != measured_.end()) return own->second.log_of_ratio;
  std::vector<double> slice, all;
  for (const auto& [other, measured] : measured_) {
    const double ratio = mean(measured.log_of_ratio);
    all.push_back(ratio);
    if (share_a_slice(plan_, point, other)) slice.push_back(ratio);
  }
  return slice.empty() ? all : slice;
}

double DurationModel::step_s(const Task& task) const {
  const double estimate = estimate_of(plan_, task);
  const auto ratios = nearest_ratios(task.run.point);
  return ratios.empty() ? estimate : estimate * std::exp(mean(ratios));
}

double DurationModel::outside_s(std::size_t point) const {
  if (measured_.empty()) return estimated_setup_s(plan_.points[point].settings);
  const auto own = measured_.find(point);
  if (own != measured_.end()) return own->second.outside_s;
  std::vector<double> all;
  for (const auto& [other, measured] : measured_) all.push_back(measured.outside_s);
  return mean(all);
}

double DurationModel::run_s(const Task& task, const RunLength& length) const {
  const double step = step_s(task);
  const settings::Settings settings = settings_of(plan_, task);
  return outside_s(task.run.point) + estimated_steps_s(settings, length, step) +
         estimated_trace_s(settings, step);
}

}  // namespace scalemark::planning
