#include "report/judge/sweep/summary.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/statistics/efficiency.h"
#include "report/judge/point/fingerprint.h"
#include "report/judge/sweep/runs.h"
#include "report/record/finding_kinds.h"
#include "report/record/health_figures.h"

namespace scalemark::reporting {
namespace {

std::vector<SliceGroups> slices_by(const planning::Plan& plan) {
  std::vector<SliceGroups> slices;
  for (const planning::Slice& slice : plan.slices) {
    SliceGroups groups{.kind = std::string(name_of(slice.kind)), .fixed = slice.fixed};
    if (slice.baseline) groups.baseline = plan.points[*slice.baseline].group;
    for (const std::size_t row : slice.rows) groups.rows.push_back(plan.points[row].group);
    if (slice.solo) groups.rows.push_back(plan.points[*slice.solo].group);
    slices.push_back(std::move(groups));
  }
  return slices;
}

std::vector<ComparedGroups> comparisons_by(const planning::Plan& plan) {
  std::vector<ComparedGroups> all;
  for (const planning::Comparison& comparison : plan.comparisons) {
    ComparedGroups& groups =
        all.emplace_back(ComparedGroups{.axis = comparison.axis, .fixed = comparison.fixed});
    for (const planning::ComparedValue& value : comparison.values) {
      groups.values.push_back({value.value, plan.points[value.point].group});
    }
  }
  return all;
}

statistics::Startup startup_of(const PointRecord& point) {
  const SetupTimes& setup = point.setup_s;
  return {.setup_s = setup.rendezvous_s + setup.model_s + setup.data_s + setup.first_step_s,
          .samples_per_sec = point.samples_per_sec};
}

// Whether the parallel runs are surely faster: the 95 % interval of their speed-up lies above 1.
// One pair has no interval.
bool is_faster(const std::vector<SweepPair>& pairs) {
  if (pairs.empty()) return false;
  const auto found = statistics::paired_efficiency(rates_of(pairs), 1).speedup_ci95;
  return found && found->low > 1;
}

}  // namespace

void summarise_sweep(Report& report, const SummaryOptions& options) {
  const auto runs = runs_by_group<PointRecord>(report.points, FitOfRuns(report));
  const auto course = course_of(runs);
  report.stragglers = stragglers_of(runs, options.device_spread);
  report.groups = groups_of(runs, course, options);
  report.scaling = scaling_of(runs, options.slices, report.stragglers, report.groups);
  report.devices = devices_of(report.points, report.environment.hosts);
  report.fastest = fastest_point(runs);
  report.data_gaps = data_gaps_of(runs);
  report.effects = effects_of(runs, options.comparisons);
  report.tuning = tuning_of(runs, options);
  report.communication_limits = communication_limits_of(runs, options.comparisons);
  report.drift = course.drift;
  std::ranges::move(sweep_findings(runs, report, course.drifted),
                    std::back_inserter(report.findings));
}

void summarise_by_plan(Report& report, const planning::Plan& plan,
                       std::map<std::string, std::string> stop_reasons) {
  const auto slices = slices_by(plan);
  const auto break_even = break_even_steps(report.points, slices);
  for (auto& point : report.points) {
    // An earlier summary knew fewer runs.
    point.break_even_steps.reset();
    const auto found = break_even.find(point.id);
    if (found != break_even.end()) point.break_even_steps = found->second;
  }
  std::erase_if(report.findings, is_of_sweep);
  std::ranges::move(findings_of_replays(report.replays), std::back_inserter(report.findings));
  summarise_sweep(report, {.slices = slices,
                           .comparisons = comparisons_by(plan),
                           .tuned_axis = plan.sweep.tune,
                           .stop_reasons = std::move(stop_reasons),
                           .stop_reason = "",
                           .price_per_hour = plan.sweep.price_per_hour,
                           .launched_ranks = plan.world_size,
                           .device_spread = plan.sweep.device_spread.value_or(0)});
  std::ranges::move(health_findings(report.health), std::back_inserter(report.findings));
}

std::map<std::string, double> break_even_steps(std::span<const PointRecord> points,
                                               const std::vector<SliceGroups>& slices) {
  std::map<std::string, double> steps;
  const auto runs = runs_by_group(points);
  for (const SliceGroups& slice : slices) {
    for (const std::string& row : slice.rows) {
      if (slice.baseline.empty() || row == slice.baseline) continue;
      const auto pairs = paired(runs_of(runs, slice.baseline).ok, runs_of(runs, row).ok);
      if (!is_faster(pairs)) continue;
      for (const SweepPair& pair : pairs) {
        if (pair.scaled->world_size == 1) continue;
        const auto found = statistics::break_even_steps(
            startup_of(*pair.baseline), startup_of(*pair.scaled),
            pair.scaled->wall_s / static_cast<double>(pair.scaled->iterations));
        if (found) steps[pair.scaled->id] = static_cast<double>(*found);
      }
    }
  }
  return steps;
}

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

// Returns the group of the runs that a table is relative to.
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
