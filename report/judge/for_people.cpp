// Makes the form of a report that people get, without the numbers that must not be trusted.

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "report/judge/judge.h"
#include "report/record/finding_kinds.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

// Removes the times of a run whose clocks are wrong. What it trained and how much memory it took
// stays.
void leave_out_times(PointRecord& run) {
  run.samples_per_sec = run.samples_per_sec_per_rank = run.wall_s = 0;
  run.step_mean_over_ranks_s = 0;
  for (auto* number :
       {&run.step_time_s, &run.own_mean_s, &run.own_max_of_rank_means_s,
        &run.own_mean_of_step_max_s, &run.compute_samples_per_sec, &run.tokens_per_sec, &run.mfu}) {
    number->reset();
  }
  run.within_run_ci95 = {};
  run.step_s = {};
  run.step_samples_s.clear();
  run.phases_s.reset();
  run.communication = {};
  run.bucket_timeline.clear();
  for (Attempt& attempt : run.attempts) attempt.samples_per_sec.reset();
  run.ranks.clear();
  run.causes.clear();
}

void leave_out(PointRecord& run) {
  if (!is_disturbed(run.standing)) return;
  run.mfu_of_measured_gemm.reset();
  run.break_even_steps.reset();
  run.noop_step_s.reset();
  CommunicationTimes& times = run.communication;
  times = {.peer_wait_s = times.peer_wait_s,
           .network_s = times.network_s,
           .exposed_ci95 = times.exposed_ci95};
  if (run.standing.is_withheld()) leave_out_times(run);
}

void leave_out(GroupRecord& group) {
  if (is_disturbed(group.standing)) {
    group.variance.reset();
    group.communication.reset();
  }
  if (!group.standing.is_withheld()) return;
  group.samples_per_sec.reset();
  group.step_time_s.reset();
  group.ci95 = {};
  for (auto* number : {&group.slowest, &group.fastest, &group.at_least, &group.cv_between,
                       &group.samples_per_joule, &group.samples_per_dollar}) {
    number->reset();
  }
}

void leave_out(ScalingRow& row) {
  if (!row.standing.is_withheld()) return;
  if (row.standing.reason == kinds::clocks_disagree.code) {
    row.samples_per_sec = 0;
    row.step_time_s.reset();
  }
  for (auto* number : {&row.speedup, &row.efficiency, &row.efficiency_lowest,
                       &row.efficiency_highest, &row.at_least}) {
    number->reset();
  }
  row.efficiency_ci95 = {};
  row.loss_of_efficiency.reset();
  row.loss_of_efficiency_ci95.reset();
  row.slowest_rank.reset();
  row.in_words.clear();
}

void leave_out(EffectRecord& effect) {
  if (!effect.standing.is_withheld()) return;
  effect.verdict = statistics::EffectVerdict::kDisturbed;
  effect.ratio = 1;
  effect.ratio_ci95 = {};
  effect.p_holm.reset();
  effect.phases_delta_s.reset();
  effect.in_words.clear();
}

void leave_out(CollectiveGroup& group) {
  if (!is_disturbed(group.standing)) return;
  group.expected_share = {};
  group.expected_busbw_GBps.reset();
  if (!group.standing.is_withheld()) return;
  for (OverRuns* number : {&group.time_s, &group.latency_p50_s, &group.latency_p95_s,
                           &group.latency_p99_s, &group.algbw_GBps, &group.busbw_GBps}) {
    *number = {};
  }
}

void leave_out(ClaimRecord& claim) {
  if (!claim.standing.is_withheld()) return;
  for (auto* number :
       {&claim.measured, &claim.measured_ci95_low, &claim.measured_ci95_high, &claim.ratio}) {
    number->reset();
  }
  claim.verdict = ClaimVerdict::kUndecided;
  claim.reason = kDisturbedClaim;
}

// These decide whether a finding is shown: disturbed runs, groups with too few fit runs, and
// whether any conclusion is withheld.
struct Groundless {
  std::set<std::string> runs, groups;
  bool any_conclusion = false;
};

Groundless groundless_of(const Report& report) {
  const auto is_withheld = [](const auto& record) { return record.standing.is_withheld(); };
  Groundless found{.groups = groundless(report)};
  for (const PointRecord& run : report.points) {
    if (is_disturbed(run.standing)) found.runs.insert(run.id);
  }
  found.any_conclusion =
      std::ranges::any_of(report.effects, is_withheld) ||
      std::ranges::any_of(report.data_gaps, is_withheld) ||
      std::ranges::any_of(report.scaling,
                          [&](const ScalingTable& table) {
                            return std::ranges::any_of(table.rows, is_withheld);
                          }) ||
      std::ranges::any_of(report.collective_groups, [](const CollectiveGroup& group) {
        return is_disturbed(group.standing);
      });
  return found;
}

// Removes a reason of the verdict together with its finding. The level and the other reasons stay.
void leave_out_findings(Report& report, const Groundless& without) {
  const auto is_of_run = [&](const Finding& finding) {
    return std::ranges::find(report.points, finding.point, &PointRecord::id) != report.points.end();
  };
  std::set<std::string> gone;
  std::erase_if(report.findings, [&](const Finding& finding) {
    const FindingRole role = role_of(finding.code);
    const auto is_named_by = [&](bool groundless) {
      return std::ranges::any_of(report.stragglers, [&](const Straggler& rank) {
        return without.groups.contains(rank.group) == groundless && names(finding, rank);
      });
    };
    const bool names_part = role == FindingRole::kNamesRank || role == FindingRole::kNamesLink;
    const bool goes =
        // A finding about several points is removed if any number that it may rest on is.
        (role == FindingRole::kConcludes && (without.runs.contains(finding.point) ||
                                             (without.any_conclusion && !is_of_run(finding)))) ||
        (names_part && without.groups.contains(kWholeReport)) ||
        (names_part && is_named_by(true) && !is_named_by(false));
    if (goes) gone.insert(finding.code);
    return goes;
  });
  for (const Finding& finding : report.findings) gone.erase(finding.code);
  if (!report.verdict) return;
  std::erase_if(report.verdict->reasons,
                [&](const VerdictReason& reason) { return gone.contains(reason.code); });
}

}  // namespace

Report for_people(Report report, Withheld withheld) {
  // Verdict and standings are judged from the whole report, before anything is removed.
  report.verdict = verdict_of(report);
  set_standings(report);
  if (withheld == Withheld::kMarked) return report;
  const Groundless without = groundless_of(report);
  const auto is_withheld = [](const auto& record) { return record.standing.is_withheld(); };
  const auto is_groundless = [&](const auto& record) {
    return without.groups.contains(record.group);
  };
  leave_out_findings(report, without);
  for (PointRecord& run : report.points) leave_out(run);
  for (GroupRecord& group : report.groups) leave_out(group);
  for (ScalingTable& table : report.scaling) {
    for (ScalingRow& row : table.rows) {
      leave_out(row);
      if (!row.standing.is_withheld()) continue;
      for (PointRecord& run : report.points) {  // it was computed against the baseline, too
        if (std::ranges::count(row.points, run.id)) run.break_even_steps.reset();
      }
    }
  }
  for (EffectRecord& effect : report.effects) leave_out(effect);
  for (CollectiveGroup& group : report.collective_groups) leave_out(group);
  for (ClaimRecord& claim : report.claims) leave_out(claim);
  // These compare several points without naming them.
  if (!without.groups.empty()) {
    report.predictions.clear();
    report.communication_limits.clear();
    report.collective_winners.clear();
  }
  std::erase_if(report.tuning, [&](const TuningRecord& tuning) {
    return is_groundless(tuning) || without.groups.contains(kWholeReport);
  });
  if (report.fastest && is_groundless(*report.fastest)) report.fastest.reset();
  std::erase_if(report.devices, is_groundless);
  std::erase_if(report.stragglers, is_groundless);
  std::erase_if(report.data_gaps, is_withheld);
  std::erase_if(report.collective_fits, is_withheld);
  if (report.drift && report.drift->standing.is_withheld()) report.drift.reset();
  return report;
}

std::vector<Report> for_people(std::span<const Report> reports, Withheld withheld) {
  std::vector<Report> all;
  for (const Report& report : reports) all.push_back(for_people(report, withheld));
  return all;
}

}  // namespace scalemark::reporting
