#include "core/reporting/sweep/summary.h"

#include <algorithm>
#include <iterator>

#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {

void summarise_sweep(Report& report, const SummaryOptions& options) {
  const auto runs = runs_by_group<PointRecord>(report.points, FitOfRuns(report));
  const auto course = course_of(runs);
  const auto slices = options.slices.empty() ? slices_of(report.points) : options.slices;
  report.stragglers = stragglers_of(runs, options.device_spread);
  report.groups = groups_of(runs, course, options);
  report.scaling = scaling_of(runs, slices, report.stragglers, report.groups);
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

}  // namespace scalemark::reporting
