#include <algorithm>
#include <iterator>

#include "core/reporting/collectives/collectives.h"
#include "core/reporting/collectives/runs.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {
namespace {

bool is_derived(const Finding& finding) {
  return finding.code == finding_kinds::expected_bandwidth.code ||
         finding.code == finding_kinds::steal.code || disturbs(finding.code);
}

}  // namespace

void summarise_collectives(Report& report) {
  if (report.collectives.empty()) return;
  const auto points = runs_by_group<CollectiveRecord>(report.collectives, FitOfRuns(report));
  report.collective_groups = collective_groups_of(points);
  report.effects = collective_effects_of(points);
  report.collective_winners = collective_winners_of(points);
  report.collective_fits = collective_fits_of(points);
  std::erase_if(report.findings, is_derived);
  std::ranges::move(findings_of_groups(points, report.collective_groups),
                    std::back_inserter(report.findings));
  std::ranges::move(findings_of_disturbed_runs(report), std::back_inserter(report.findings));
}

}  // namespace scalemark::reporting
