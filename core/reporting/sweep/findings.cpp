#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/runs.h"

namespace scalemark::reporting {
namespace {

constexpr double kRunsDiffer = 0.05;
constexpr double kSuperlinear = 1.02;
constexpr double kGapWorthSaying = 0.05;
constexpr double kEstimateOff = 0.20;
constexpr std::size_t kNamed = 5;  // further names are counted, not listed

class Findings {
 public:
  void add(const FindingKind& kind, std::string text, std::string point = "") {
    all_.push_back(make_finding(kind, std::move(point), std::move(text)));
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i) {
    text += (i ? ", " : "") + names[i];
  }
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

void judge_repetitions(const SweepSummary& summary, Findings& findings) {
  std::vector<std::string> single, unconverged, pooled;
  for (const GroupRecord& group : summary.groups) {
    if (group.n == 1) single.push_back(group.group);
    if (group.sessions == 2) pooled.push_back(group.group);
    if (group.stop_reason == "unconverged") unconverged.push_back(group.group);
    if (group.cv_between && *group.cv_between > kRunsDiffer) {
      findings.add(finding_kinds::runs_differ,
                   group.group + ": runs differ by " + percent(*group.cv_between) +
                       " (standard deviation): something else uses this "
                       "machine, or it is not in a steady state");
    }
  }
  if (!single.empty()) {
    findings.add(finding_kinds::no_interval, "one repetition, so no interval: " + listed(single));
  }
  if (!pooled.empty()) {
    findings.add(finding_kinds::sessions_pooled,
                 "repetitions of two sessions, so no interval: how sessions differ is not known "
                 "before a third: " +
                     listed(pooled));
  }
  if (!unconverged.empty()) {
    findings.add(
        finding_kinds::unconverged,
        "the time was over before the interval was as narrow as asked for: " + listed(unconverged));
  }
}

void judge_lost(const RunsByGroup& runs, const SweepSummary& summary, Findings& findings) {
  for (const GroupRecord& group : summary.groups) {
    for (const PointStatus status : {PointStatus::kOom, PointStatus::kFailed}) {
      const auto count = group.status_counts.find(std::string(name_of(status)));
      if (count == group.status_counts.end() || group.n == 0) continue;
      const Runs& all = runs.all(group.group);
      const auto* run = *std::ranges::find(all, status, &PointRecord::status);
      findings.add(finding_kinds::repetitions_lost,
                   group.group + ": " + std::to_string(count->second) + " of " +
                       std::to_string(all.size()) + " repetitions " + count->first + ": " +
                       run->reason,
                   run->id);
    }
  }
}

void judge_scaling(const SweepSummary& summary, Findings& findings) {
  std::vector<std::string> elsewhere;
  for (const ScalingTable& table : summary.scaling) {
    elsewhere.insert(elsewhere.end(), table.left_out.begin(), table.left_out.end());
    if (!table.relative_to.starts_with("1 rank ")) {
      findings.add(finding_kinds::baseline_missing,
                   "no 1-rank point without communication could be measured (" + table.kind +
                       " slice): efficiency is relative to " + table.relative_to);
    }
    for (const ScalingRow& row : table.rows) {
      if (!row.efficiency_ci95_low || *row.efficiency_ci95_low < kSuperlinear) continue;
      findings.add(finding_kinds::superlinear,
                   row.group + ": efficiency " + percent(row.efficiency) +
                       " is above 100 %: the smaller share of a rank fits a cache, or the "
                       "baseline is slowed by something");
    }
  }
  if (!elsewhere.empty()) {
    findings.add(finding_kinds::baseline_elsewhere,
                 "left out of efficiency, because the baseline of the same block ran in another "
                 "session: " +
                     listed(elsewhere));
  }
}

std::string name_of_rank(const Straggler& rank) {
  return "rank " + std::to_string(rank.rank) + " (" + rank.host +
         (rank.device.empty() ? "" : ", " + rank.device) + ")";
}

// A rank with one verdict at several points.
struct ShownRank {
  const Straggler* first;
  double least, most;  // shares of the others' time
  std::vector<std::string> points;
};

std::vector<ShownRank> shown_ranks(const SweepSummary& summary) {
  std::map<std::tuple<int, std::string, std::string, RankVerdict>, ShownRank> ranks;
  for (const Straggler& rank : summary.stragglers) {
    if (!is_named(rank.verdict) && rank.verdict != RankVerdict::kIntermittent) continue;
    const double by = std::expm1(rank.deviation);  // ln seconds to a share of the others' time
    const auto key = std::tuple(rank.rank, rank.host, rank.device, rank.verdict);
    ShownRank& shown = ranks.try_emplace(key, ShownRank{&rank, by, by, {}}).first->second;
    shown.least = std::min(shown.least, by);
    shown.most = std::max(shown.most, by);
    shown.points.push_back(rank.verdict == RankVerdict::kIntermittent
                               ? rank.group + " (" + std::to_string(rank.slow_runs) + " of " +
                                     std::to_string(rank.runs) + " runs)"
                               : rank.group);
  }
  std::vector<ShownRank> shown;
  for (auto& [key, rank] : ranks) shown.push_back(std::move(rank));
  return shown;
}

// One finding per rank, however many points show it.
void judge_ranks(const SweepSummary& summary, Findings& findings) {
  for (const ShownRank& shown : shown_ranks(summary)) {
    const std::string who = name_of_rank(*shown.first);
    if (shown.first->verdict == RankVerdict::kIntermittent) {
      findings.add(finding_kinds::straggler_intermittent,
                   who + " is slower than its peers in some runs, not in every one: " +
                       listed(shown.points));
      continue;
    }
    const std::string least = percent(shown.least), most = percent(shown.most);
    findings.add(finding_kinds::straggler,
                 who + " needs " + least + (least == most ? "" : " to " + most) +
                     " more time of its own than " +
                     (shown.first->verdict == RankVerdict::kSlower
                          ? "the other rank; of two, neither can be said to be at fault: "
                          : "the median of the others, in every run: ") +
                     listed(shown.points));
  }
}

void judge_gaps(const SweepSummary& summary, Findings& findings) {
  for (const DataGap& gap : summary.data_gaps) {
    const bool is_sure = gap.lost_share_ci95_low && *gap.lost_share_ci95_low > 0;
    if (gap.lost_share < kGapWorthSaying || !is_sure) continue;
    findings.add(finding_kinds::data_gap,
                 gap.real_group + ": real data costs " + percent(gap.lost_share) +
                     " of the throughput with synthetic data (95 % interval " +
                     percent(*gap.lost_share_ci95_low) + " to " +
                     percent(*gap.lost_share_ci95_high) + ")");
  }
}

void judge_memory(const RunsByGroup& runs, Findings& findings) {
  std::vector<std::string> off;
  for (const std::string& group : runs.groups()) {
    for (const PointRecord* run : runs.ok(group)) {
      if (!run->memory_estimate_bytes || run->memory_peak_bytes == 0) continue;
      const auto peak = static_cast<double>(run->memory_peak_bytes);
      const double error = static_cast<double>(*run->memory_estimate_bytes) / peak - 1;
      if (std::abs(error) <= kEstimateOff) continue;
      off.push_back(group + " (" + (error > 0 ? "+" : "") + percent(error) + ")");
      break;
    }
  }
  if (off.empty()) return;
  findings.add(finding_kinds::memory_estimate,
               "the estimate of memory is more than 20 % off the peak: " + listed(off));
}

}  // namespace

std::vector<Finding> sweep_findings(const RunsByGroup& runs, const SweepSummary& summary,
                                    bool drifted) {
  Findings findings;
  if (summary.drift && summary.drift->lag1) {
    findings.add(finding_kinds::runs_correlated,
                 "runs that follow each other resemble each other (correlation " +
                     percent(*summary.drift->lag1) +
                     "): something that lasts longer than a run comes and goes; intervals of "
                     "throughput are widened for it, and no drift is claimed");
  }
  if (drifted) {
    findings.add(finding_kinds::drift,
                 "all points became " + percent(std::abs(summary.drift->per_sweep)) +
                     (summary.drift->per_sweep < 0 ? " slower" : " faster") +
                     " from start to end of the sweep (heat, clocks, a neighbour); pairs within "
                     "blocks are little touched by it");
  }
  judge_scaling(summary, findings);
  judge_ranks(summary, findings);
  judge_gaps(summary, findings);
  judge_lost(runs, summary, findings);
  judge_repetitions(summary, findings);
  judge_memory(runs, findings);
  return findings.take();
}

}  // namespace scalemark::reporting
