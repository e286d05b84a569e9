#include "core/reporting/sweep/summary.h"

#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {

SweepSummary summarise_sweep(std::span<const PointRecord> points, const SummaryOptions& options) {
  const RunsByGroup runs(points);
  const auto drift = drift_of(runs);
  SweepSummary summary{
      .groups = groups_of(runs, options),
      .scaling = scaling_of(runs, options.slices.empty() ? slices_of(points) : options.slices),
      .stragglers = stragglers_of(runs),
      .data_gaps = data_gaps_of(runs),
      .drift = drift.drift,
      .findings = {}};
  summary.findings = sweep_findings(runs, summary, drift.finding);
  return summary;
}

}  // namespace scalemark::reporting
