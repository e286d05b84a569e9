#include "core/planning/duration_model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/planning/estimates.h"

namespace scalemark::planning {
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
