#include "core/reporting/sweep/summary.h"

#include <utility>

#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {

SweepSummary summarise_sweep(std::span<const PointRecord> points, const SummaryOptions& options) {
  const RunsByGroup runs(points, options.disturbed);
  const auto course = course_of(runs);
  auto stragglers = stragglers_of(runs, options.device_spread);
  auto groups = groups_of(runs, course, options);
  const auto slices = options.slices.empty() ? slices_of(points) : options.slices;
  auto scaling = scaling_of(runs, slices, stragglers, groups);
  SweepSummary summary{.groups = std::move(groups),
                       .scaling = std::move(scaling),
                       .stragglers = std::move(stragglers),
                       .fastest = fastest_point(runs),
                       .data_gaps = data_gaps_of(runs),
                       .effects = effects_of(runs, options.comparisons),
                       .tuning = tuning_of(runs, options),
                       .communication_limits = communication_limits_of(runs, options.comparisons),
                       .drift = course.drift,
                       .findings = {}};
  summary.findings = sweep_findings(runs, summary, course.drifted);
  return summary;
}

}  // namespace scalemark::reporting
