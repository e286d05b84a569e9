#include "core/reporting/sweep/summary.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/reporting/point/replays.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/health.h"
#include "core/reporting/sweep/runs.h"
#include "core/statistics/efficiency.h"

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

// Whether the parallel runs are faster beyond doubt: the 95 % interval of their speed-up lies above
// 1. One pair has none.
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
    point.break_even_steps.reset();  // An earlier summary knew fewer runs.
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

}  // namespace scalemark::reporting
