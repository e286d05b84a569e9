#include "core/reporting/sweep/plan_summary.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/reporting/point/replays.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/health.h"
#include "core/reporting/sweep/summary.h"

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

}  // namespace

void summarise_by_plan(Report& report, const planning::Plan& plan,
                       std::map<std::string, std::string> stop_reasons) {
  const auto slices = slices_by(plan);
  const auto break_even = break_even_steps(report.points, slices);
  for (auto& point : report.points) {
    point.break_even_steps.reset();  // of an earlier summary, which knew fewer runs
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

}  // namespace scalemark::reporting
