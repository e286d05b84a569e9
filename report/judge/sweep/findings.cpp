// Makes findings about a whole sweep: drift, memory, losses, levels, and the distribution of its
// runs.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/statistics/significance.h"
#include "core/statistics/steadiness/steady.h"
#include "report/judge/sweep/runs.h"
#include "report/record/finding_kinds.h"
#include "report/record/report_json.h"
#include "report/record/surety.h"

namespace scalemark::reporting {
namespace {

constexpr double kRunsDiffer = 0.05;
constexpr double kSuperlinearStrong = 1.25;  // smaller work may fit a cache
constexpr double kGapWorthSaying = 0.05;
constexpr double kEstimateOff = 0.20;
constexpr double kNotNormal = 0.01;

class Findings {
 public:
  void add(std::vector<Finding> more) { std::ranges::move(more, std::back_inserter(all_)); }
  void add(const FindingKind& kind, const AllNamed& values, std::string point = "") {
    all_.push_back(make_finding(kind, std::move(point), values));
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

void judge_repetitions(const Report& report, Findings& findings) {
  std::vector<std::string> single, unconverged, pooled;
  for (const GroupRecord& group : report.groups) {
    if (group.n == 1) single.push_back(group.group);
    if (group.sessions == 2) pooled.push_back(group.group);
    if (group.stop_reason == "unconverged") unconverged.push_back(group.group);
    if (group.cv_between && *group.cv_between > kRunsDiffer) {
      findings.add(finding_kinds::runs_differ, {{"group", group.group}, {"cv", *group.cv_between}});
    }
  }
  if (!single.empty()) {
    findings.add(finding_kinds::no_interval, {{"points", listed(single)}});
  }
  if (!pooled.empty()) {
    findings.add(finding_kinds::sessions_pooled, {{"points", listed(pooled)}});
  }
  if (!unconverged.empty()) {
    findings.add(finding_kinds::unconverged, {{"points", listed(unconverged)}});
  }
}

// Groups with fewer repetitions have findings for their single windows instead.
void judge_windows(const Report& report, Findings& findings) {
  std::vector<std::string> unknown;
  for (const GroupRecord& group : report.groups) {
    if (group.n < static_cast<int>(statistics::kRunsToPool)) continue;
    if (group.steady == false) {
      findings.add(finding_kinds::windows_not_steady,
                   {{"group", group.group}, {"why", group.steady_reason}});
    } else if (!group.steady) {
      unknown.push_back(group.group +
                        (group.bias_bound ? " (up to " + percent(*group.bias_bound, 2) + ")" : ""));
    }
  }
  if (!unknown.empty()) {
    findings.add(finding_kinds::windows_unknown, {{"points", listed(unknown)}});
  }
}

void judge_lost(const SweepRuns& runs, const Report& report, Findings& findings) {
  for (const GroupRecord& group : report.groups) {
    for (const PointStatus status : {PointStatus::kOom, PointStatus::kFailed}) {
      const auto count = group.status_counts.find(std::string(name_of(status)));
      if (count == group.status_counts.end() || group.n == 0) continue;
      const Runs& all = runs_of(runs, group.group).all;
      const auto* run = *std::ranges::find(all, status, &PointRecord::status);
      findings.add(finding_kinds::repetitions_lost,
                   {{"group", group.group},
                    {"lost", count->second},
                    {"runs", all.size()},
                    {"status", count->first},
                    {"why", run->reason}},
                   run->id);
    }
  }
}

void judge_scaling(const Report& report, Findings& findings) {
  std::vector<std::string> elsewhere;
  for (const ScalingTable& table : report.scaling) {
    elsewhere.insert(elsewhere.end(), table.left_out.begin(), table.left_out.end());
    if (!table.relative_to.starts_with("1 rank ")) {
      findings.add(finding_kinds::baseline_missing,
                   {{"kind", table.kind}, {"relative_to", table.relative_to}});
    }
    for (const ScalingRow& row : table.rows) {
      const double limit = table.kind.starts_with("strong") ? kSuperlinearStrong : kBeyondIdeal;
      if (!row.efficiency_ci95.low || *row.efficiency_ci95.low < limit) continue;
      findings.add(finding_kinds::superlinear,
                   {{"group", row.group}, {"efficiency", row.efficiency.value_or(0)}});
    }
  }
  if (!elsewhere.empty()) {
    findings.add(finding_kinds::baseline_elsewhere, {{"points", listed(elsewhere)}});
  }
}

void judge_gaps(const Report& report, Findings& findings) {
  for (const DataGap& gap : report.data_gaps) {
    const bool is_sure = gap.lost_share_ci95 && *gap.lost_share_ci95.low > 0;
    if (gap.lost_share < kGapWorthSaying || !is_sure) continue;
    findings.add(finding_kinds::data_gap, {{"group", gap.real_group},
                                           {"lost", gap.lost_share},
                                           {"low", *gap.lost_share_ci95.low},
                                           {"high", *gap.lost_share_ci95.high}});
  }
}

void judge_memory(const SweepRuns& runs, Findings& findings) {
  std::vector<std::string> off;
  for (const auto& group : runs) {
    for (const PointRecord* run : group.ok) {
      if (!run->memory_estimate_bytes || run->memory_peak_bytes == 0) continue;
      const auto peak = static_cast<double>(run->memory_peak_bytes);
      const double error = static_cast<double>(*run->memory_estimate_bytes) / peak - 1;
      if (std::abs(error) <= kEstimateOff) continue;
      off.push_back(run->group + " (" + (error > 0 ? "+" : "") + percent(error) + ")");
      break;
    }
  }
  if (off.empty()) return;
  findings.add(finding_kinds::memory_estimate, {{"points", listed(off)}});
}

void judge_course(const Report& report, bool drifted, Findings& findings) {
  if (report.drift && report.drift->lag1) {
    findings.add(finding_kinds::runs_correlated, {{"correlation", *report.drift->lag1}});
  }
  if (drifted) findings.add(finding_kinds::drift, {{"trend", report.drift->per_sweep}});
}

void judge_levels(const SweepRuns& runs, Findings& findings) {
  std::vector<std::string> groups;
  std::vector<std::vector<double>> series;
  for (const auto& group : runs) {
    for (auto& rates : rates_by_session(group.ok)) {
      groups.push_back(group.first().group);
      series.push_back(std::move(rates));
    }
  }
  const auto judged = statistics::judge_levels(series);
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i] || !judged[i]->two) continue;
    const statistics::Levels& levels = *judged[i];
    findings.add(finding_kinds::two_levels, {{"group", groups[i]},
                                             {"slow", levels.slow_runs},
                                             {"runs", levels.runs},
                                             {"by", -std::expm1(-levels.slower_by)}});
  }
}

// Describes the distribution. Rare slow runs are what intervals over a few runs miss.
std::string shape_in_words(const statistics::Normality& normality) {
  const bool skewed = std::abs(normality.skewness_z) > std::abs(normality.kurtosis_z);
  if (skewed && normality.skewness_z < 0) return "a few are far slower than the rest";
  if (skewed) return "a few are far faster than the rest";
  return normality.kurtosis_z > 0 ? "a few are far from the rest"
                                  : "they stay away from it, as on two levels";
}

// Correlated runs resemble each other across points, and the test assumes independent ones.
void judge_normality(const SweepRuns& runs, const Report& report, Findings& findings) {
  if (report.drift && report.drift->lag1) return;
  std::vector<std::vector<double>> groups;
  for (const auto& group : runs) {
    for (const Runs& session : by_session(group.ok)) {
      auto& logs = groups.emplace_back();
      for (const PointRecord* run : session) logs.push_back(log_rate(*run));
    }
  }
  const auto normality = statistics::check_normality(groups);
  if (!normality || normality->p > kNotNormal) return;
  findings.add(
      finding_kinds::runs_not_normal,
      {{"p", normality->p}, {"runs", normality->runs}, {"shape", shape_in_words(*normality)}});
}

}  // namespace

std::vector<Finding> sweep_findings(const SweepRuns& runs, const Report& report, bool drifted) {
  Findings findings;
  judge_course(report, drifted, findings);
  judge_normality(runs, report, findings);
  judge_levels(runs, findings);
  judge_scaling(report, findings);
  findings.add(findings_of_ranks(report));
  judge_gaps(report, findings);
  judge_lost(runs, report, findings);
  judge_repetitions(report, findings);
  judge_windows(report, findings);
  judge_memory(runs, findings);
  return findings.take();
}

}  // namespace scalemark::reporting
