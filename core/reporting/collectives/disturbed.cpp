#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "core/reporting/collectives/runs.h"
#include "core/reporting/point/disturbances.h"
#include "core/reporting/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

struct Disturbed {
  int runs = 0;
  std::string first_run, what;  // of the first
};

std::string text_of(const Disturbed& disturbed, int measured) {
  return std::to_string(disturbed.runs) + " of " + std::to_string(measured) +
         (measured == 1 ? " run" : " runs") + ", the first of them " + disturbed.first_run + ": " +
         disturbed.what;
}

}  // namespace

std::vector<Finding> findings_of_disturbed_runs(const Report& report) {
  std::map<std::string, std::vector<TelemetryRecord>> by_run;
  for (const auto& record : report.telemetry) by_run[record.point].push_back(record);
  int measured = 0;
  std::map<std::string, std::pair<const FindingKind*, Disturbed>> by_code;
  for (const CollectiveRecord& run : report.collectives) {
    if (run.status != PointStatus::kOk) continue;
    ++measured;
    auto found = disturbances_of(by_run[run.id], report.environment.hosts);
    std::ranges::move(doubts_of(by_run[run.id], report.environment.hosts),
                      std::back_inserter(found));
    for (const auto& [kind, text, place] : found) {
      auto& [same_kind, disturbed] = by_code[kind->code];
      same_kind = kind;
      if (disturbed.runs++ == 0) disturbed = {1, run.id, text};
    }
  }
  std::vector<Finding> findings;
  for (const auto& [code, found] : by_code) {
    findings.push_back(make_finding(*found.first, "", text_of(found.second, measured)));
  }
  return findings;
}

}  // namespace scalemark::reporting
