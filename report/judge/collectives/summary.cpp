// Makes the groups of collectives over repetitions and their findings, and decides how `comm` ends.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/runs.h"
#include "report/judge/collectives/collectives.h"
#include "report/judge/collectives/runs.h"
#include "report/judge/collectives/words.h"
#include "report/judge/point/disturbances.h"
#include "report/record/finding_kinds.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

bool is_derived(const Finding& finding) {
  return finding.code == finding_kinds::expected_bandwidth.code ||
         finding.code == finding_kinds::steal.code || disturbs(finding.code);
}

// exp(mean ln x +- t s / sqrt(R)) of a number x of every good run. Empty where a run lacks it, or
// has one that is not above 0.
OverRuns over_runs(const CollectivePoint& point, const auto& number) {
  std::vector<double> values;
  for (const CollectiveRecord* run : point.ok) {
    const std::optional<double> value = number(*run);
    if (!value || !(*value > 0) || !std::isfinite(*value)) return {};
    values.push_back(*value);
  }
  if (values.empty()) return {};
  const auto estimate = statistics::estimate_over_runs(values);
  return {.value = estimate.value, .ci95 = bounds_of(estimate.ci95)};
}

// Returns a quantile of isolated calls over repetitions.
OverRuns latency_of(const CollectivePoint& point, std::optional<double> (*of)(const Latency&)) {
  return over_runs(point, [of](const CollectiveRecord& run) {
    return run.latency_s ? of(*run.latency_s) : std::nullopt;
  });
}

void set_latencies(CollectiveGroup& group, const CollectivePoint& point) {
  using Quantile = std::optional<double>;
  group.latency_p50_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p50; });
  group.latency_p95_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p95; });
  group.latency_p99_s = latency_of(point, [](const Latency& l) -> Quantile { return l.p99; });
}

void set_expected(CollectiveGroup& group, const CollectiveRecord& run) {
  group.expected_source = run.expected_source;
  group.expected_busbw_GBps = run.expected_busbw_GBps;
  if (!group.expected_busbw_GBps || !(*group.expected_busbw_GBps > 0)) return;
  const auto share = [&](const std::optional<double>& busbw) {
    return busbw ? std::optional(*busbw / *group.expected_busbw_GBps) : std::nullopt;
  };
  group.expected_share = {
      .value = share(group.busbw_GBps.value),
      .ci95 = {share(group.busbw_GBps.ci95.low), share(group.busbw_GBps.ci95.high)}};
}

void count_runs(CollectiveGroup& group, const CollectivePoint& point) {
  group.n = static_cast<int>(point.ok.size());
  for (const CollectiveRecord* run : point.all) {
    ++group.status_counts[std::string(name_of(run->status))];
    if (run->wrong) group.wrong = group.wrong.value_or(0) + *run->wrong;
  }
}

CollectiveGroup collective_group(const CollectivePoint& point) {
  const CollectiveRecord& example = point.ok.empty() ? point.first() : *point.ok.front();
  CollectiveGroup group{example, example.group};
  count_runs(group, point);
  group.time_s = over_runs(point, [](const auto& run) { return std::optional(run.time_s); });
  group.algbw_GBps = over_runs(point, [](const auto& run) { return run.algbw_GBps; });
  group.busbw_GBps = over_runs(point, [](const auto& run) { return run.busbw_GBps; });
  set_latencies(group, point);
  set_expected(group, example);
  return group;
}

// Parts of a fleet that exchange at the same time are no alternatives, to be compared.
CollectiveRuns without_parts(CollectiveRuns points) {
  std::erase_if(points, [](const CollectivePoint& point) { return bool(point.first().parts); });
  return points;
}

}  // namespace

void summarise_collectives(Report& report) {
  if (report.collectives.empty()) return;
  const auto points = runs_by_group<CollectiveRecord>(report.collectives, FitOfRuns(report));
  report.collective_groups.clear();
  std::ranges::transform(points, std::back_inserter(report.collective_groups), collective_group);
  const CollectiveRuns compared = without_parts(points);
  report.effects = collective_effects_of(compared);
  report.collective_winners = collective_winners_of(compared);
  report.collective_fits = collective_fits_of(compared);
  std::erase_if(report.findings, is_derived);
  std::ranges::move(findings_of_groups(points, report.collective_groups),
                    std::back_inserter(report.findings));
  std::ranges::move(findings_of_disturbed_runs(report), std::back_inserter(report.findings));
}

std::vector<std::pair<Traits, Family>> families_of(const CollectiveRuns& points,
                                                   const std::vector<std::string>& but) {
  std::vector<std::pair<Traits, Family>> families;
  for (const CollectivePoint& point : points) {
    Traits fixed = traits_of(point.first());
    for (const std::string& trait : but) fixed.erase(trait);
    auto known = std::ranges::find(families, fixed, &std::pair<Traits, Family>::first);
    if (known == families.end()) known = families.insert(families.end(), {std::move(fixed), {}});
    known->second.push_back(&point);
  }
  return families;
}

RunEnd end_of_collectives(const Report& report) {
  const auto is_wrong = [](const CollectiveRecord& run) { return run.wrong.value_or(0) > 0; };
  const auto first = std::ranges::find_if(report.collectives, is_wrong);
  if (first != report.collectives.end()) {
    const auto wrong = std::ranges::count_if(report.collectives, is_wrong);
    return {ExitCode::kSilentCorruption,
            counted(wrong, "run") + " with wrong elements; " + first->id + ": " + first->reason};
  }
  const RunCounts runs = counts_of(report);
  if (RunEnd end = end_of_runs(runs); end.exit_code != ExitCode::kPass) return end;
  if (runs.ok == 0 && runs.skipped > 0) {
    return {ExitCode::kConfiguration,
            "nothing that was asked for can run here: " + report.collectives.front().reason};
  }
  return {};
}

namespace {

constexpr double kSlowestLatency_s = 5e-3;
constexpr double kLeastBandwidth_GBps = 10.0 / 8;  // 10 Gb/s
constexpr double kLeastShare = 0.5;
constexpr std::int64_t kLongMessage = 1'000'000;  // bytes; latency decides for shorter ones

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
  std::map<std::string, Finding> by_code;  // the first finding of each code, with the values of all
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
