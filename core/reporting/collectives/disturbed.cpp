#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/collectives/runs.h"
#include "core/reporting/point/disturbances.h"

namespace scalemark::reporting {

std::vector<Finding> findings_of_disturbed_runs(const Report& report) {
  std::map<std::string, std::vector<TelemetryRecord>> by_run;
  for (const auto& record : report.telemetry) by_run[record.point].push_back(record);
  int measured = 0;
  std::map<std::string, Finding> by_code;  // the first of each, with the values of all
  for (const CollectiveRecord& run : report.collectives) {
    if (run.status != PointStatus::kOk) continue;
    ++measured;
    auto found = disturbances_of(by_run[run.id], report.environment.hosts);
    std::ranges::move(doubts_of(by_run[run.id], report.environment.hosts),
                      std::back_inserter(found));
    for (Finding& one : found) {
      one.place.reset();
      one.words["first_run"] = run.id;
      Finding& all = by_code.try_emplace(one.code, one).first->second;
      merge_values(all, one);
      ++all.values["disturbed_runs"];
    }
  }
  std::vector<Finding> findings;
  for (auto& [code, found] : by_code) {
    const auto runs = static_cast<int>(found.values.at("disturbed_runs"));
    found.text = std::to_string(runs) + " of " + counted(measured, "run") + ", the first of them " +
                 found.words.at("first_run") + ": " + found.text;
    findings.push_back(std::move(found));
  }
  return findings;
}

}  // namespace scalemark::reporting
