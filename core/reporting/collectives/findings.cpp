#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/collectives/runs.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/point/disturbances.h"
#include "core/reporting/record/finding_kinds.h"

namespace scalemark::reporting {
namespace {

constexpr double kSlowestLatency_s = 5e-3;
constexpr double kLeastBandwidth_GBps = 10.0 / 8;  // 10 Gb/s
constexpr double kLeastShare = 0.5;
constexpr std::int64_t kLongMessage = 1'000'000;  // bytes: of shorter ones latency decides

FindingPlace place_of(const LinkRecord& link) { return {.link = link.name()}; }

bool is_surely_below(const OverRuns& number, double limit) {
  return number.value && number.ci95.high.value_or(*number.value) < limit;
}

Finding missed(const CollectiveGroup& group) {
  return make_finding(finding_kinds::expected_bandwidth, "",
                      {{"group", group.group},
                       {"busbw", group.busbw_GBps.value.value_or(0)},
                       {"share", group.expected_share.value.value_or(0)},
                       {"expected", group.expected_busbw_GBps.value_or(0)},
                       {"source", group.expected_source}});
}

}  // namespace

std::vector<Finding> findings_of_collective(const CollectiveRecord& run) {
  if (run.wrong.value_or(0) == 0) return {};
  return {make_finding(finding_kinds::wrong_elements, run.id, {{"why", run.reason}},
                       FindingPlace{.rank = run.wrong_rank})};
}

std::vector<Finding> findings_of_links(const std::vector<LinkRecord>& links) {
  std::vector<Finding> findings;
  for (const LinkRecord& link : links) {
    if (link.latency_s > kSlowestLatency_s) {
      findings.push_back(make_finding(
          finding_kinds::link_latency, "",
          {{"latency_ms", 1e3 * link.latency_s}, {"latency", duration_text(link.latency_s)}},
          place_of(link)));
    }
    if (link.bandwidth_GBps < kLeastBandwidth_GBps) {
      findings.push_back(make_finding(finding_kinds::link_bandwidth, "",
                                      {{"Gbps", 8 * link.bandwidth_GBps}}, place_of(link)));
    }
  }
  return findings;
}

std::vector<Finding> findings_of_groups(const CollectiveRuns& points,
                                        const std::vector<CollectiveGroup>& groups) {
  std::vector<Finding> findings;
  for (const auto& [fixed, family] : families_of(points, {"bytes"})) {
    const auto* largest = *std::ranges::max_element(
        family, {}, [](const auto* point) { return point->first().bytes; });
    const CollectiveGroup& group = groups[static_cast<std::size_t>(largest - points.data())];
    if (largest->fit().empty()) continue;  // something else slowed it down
    const bool is_long = largest->first().bytes >= kLongMessage;
    if (is_long && is_surely_below(group.expected_share, kLeastShare)) {
      findings.push_back(missed(group));
    }
  }
  return findings;
}

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
