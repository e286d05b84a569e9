#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/sweep/summary.h"

namespace scalemark::reporting {
namespace {

using statistics::StopQuantity;

std::optional<double> half_width(const Bounds& ci95, double value) {
  if (!ci95 || !(value > 0)) return std::nullopt;
  return (*ci95.high - *ci95.low) / 2 / value;
}

std::vector<statistics::WindowNoise> noise_of(const GroupRecord& group) {
  if (!group.variance || !(group.variance->window_s > 0)) return {};
  return {{group.variance->steps * group.variance->steps, group.variance->window_s}};
}

// The group of the runs that a table is relative to.
std::string baseline_of(const ScalingTable& table) {
  for (const ScalingRow& row : table.rows) {
    if (row.points == table.baseline_points) return row.group;
  }
  return {};
}

void add_efficiencies(planning::Precisions& points, const ScalingTable& table) {
  const std::string baseline = baseline_of(table);
  const auto against = points.find(baseline);
  for (const ScalingRow& row : table.rows) {
    const auto point = points.find(row.group);
    if (row.group == baseline || point == points.end()) continue;
    StopQuantity quantity{.repetitions = row.points.size(),
                          .half_width = half_width(row.efficiency_ci95, row.efficiency.value_or(0)),
                          .steps = point->second.throughput.steps};
    if (against != points.end()) {
      const auto& other = against->second.throughput.steps;
      quantity.steps.insert(quantity.steps.end(), other.begin(), other.end());
    }
    point->second.efficiencies.push_back(std::move(quantity));
  }
}

}  // namespace

RunEnd end_of_sweep(const Report& report, const planning::Plan& plan,
                    const planning::SweepSchedule& schedule) {
  for (const Finding& finding : report.findings) {
    if (finding.code == finding_kinds::wrong_bits.code) {
      return {ExitCode::kSilentCorruption, finding.text};
    }
  }
  const RunCounts runs = counts_of(report);
  RunEnd end = end_of_runs(runs);
  const bool is_oom_alone = end.exit_code == ExitCode::kUnsure && runs.failed == 0;
  if (is_oom_alone) end.why += " (--allow-oom takes that as an answer)";
  if (end.exit_code != ExitCode::kPass && !(is_oom_alone && plan.sweep.allow_oom)) return end;
  const auto missing = schedule.never_ran().size();
  if (schedule.out_of_time() && missing > 0) {
    return {ExitCode::kUnsure, "incomplete: " + std::to_string(missing) + " of " +
                                   std::to_string(planning::block(plan, 0).size()) +
                                   " points did not fit into the time; --resume runs them"};
  }
  if (const std::string why = schedule.why_unconverged(); !why.empty()) {
    return {ExitCode::kUnsure, "unconverged: " + why};
  }
  return {};
}

planning::Precisions precision_of(const Report& report) {
  planning::Precisions points;
  for (const GroupRecord& group : report.groups) {
    if (!group.samples_per_sec) continue;
    points[group.group] = {
        .sessions = group.sessions.value_or(1),
        .throughput = {.repetitions = static_cast<std::size_t>(group.n),
                       .half_width = half_width(group.ci95, *group.samples_per_sec),
                       .steps = noise_of(group)}};
  }
  for (const ScalingTable& table : report.scaling) add_efficiencies(points, table);
  return points;
}

}  // namespace scalemark::reporting
