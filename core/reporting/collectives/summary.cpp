#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/collectives/collectives.h"
#include "core/reporting/collectives/runs.h"
#include "core/reporting/collectives/words.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/verdict.h"
#include "core/statistics/runs.h"

namespace scalemark::reporting {
namespace {

bool is_derived(const Finding& finding) {
  return finding.code == finding_kinds::expected_bandwidth.code ||
         finding.code == finding_kinds::steal.code || disturbs(finding.code);
}

// exp(mean ln x +- t s / sqrt(R)) of what every good run has; absent where one lacks it, or where
// it is not above 0.
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

// A quantile of isolated calls.
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

CollectiveGroup group_of(const CollectivePoint& point) {
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

}  // namespace

void summarise_collectives(Report& report) {
  if (report.collectives.empty()) return;
  const auto points = runs_by_group<CollectiveRecord>(report.collectives, FitOfRuns(report));
  report.collective_groups.clear();
  std::ranges::transform(points, std::back_inserter(report.collective_groups), group_of);
  report.effects = collective_effects_of(points);
  report.collective_winners = collective_winners_of(points);
  report.collective_fits = collective_fits_of(points);
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

}  // namespace scalemark::reporting
