#include "core/reporting/sweep/summary.h"

#include <utility>

#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {

SweepSummary summarise_sweep(std::span<const PointRecord> points, const SummaryOptions& options) {
  const RunsByGroup runs(points);
  const auto course = course_of(runs);
  auto stragglers = stragglers_of(runs, options.device_spread);
  SweepSummary summary{
      .groups = groups_of(runs, course, options),
      .scaling =
          scaling_of(runs, options.slices.empty() ? slices_of(points) : options.slices, stragglers),
      .stragglers = std::move(stragglers),
      .data_gaps = data_gaps_of(runs),
      .drift = course.drift,
      .findings = {}};
  summary.findings = sweep_findings(runs, summary, course.drifted);
  return summary;
}

}  // namespace scalemark::reporting
