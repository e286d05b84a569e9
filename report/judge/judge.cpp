#include "report/judge/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "report/record/finding_kinds.h"
#include "report/record/runs.h"
#include "report/record/surety.h"
#include "report/record/verdict.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

Standing with_care(const char* reason) { return {kShownWithCare, reason}; }

// Judges a number that was measured.
Standing measured(const Basis& basis, Surety surety, bool steady, bool few) {
  if (!fit_decide(basis.runs - basis.by_clocks, basis.runs)) {
    return {kWithheld, kinds::clocks_disagree.code};
  }
  if (basis.disturbed > 0) return with_care(basis.most_severe->code);
  if (is_rough(surety)) return with_care("wide_interval");
  if (surety == Surety::kOneRun) return with_care(kinds::single_repetition.code);
  if (surety == Surety::kNoInterval) return with_care(kinds::no_interval.code);
  if (!steady) return with_care(kinds::windows_not_steady.code);
  if (few) return with_care("few_runs");
  if (basis.brief > 0) return with_care(kinds::others_unknown.code);
  return {kShown, {}};
}

// Judges a number that was concluded from several.
Standing concluded(const Basis& basis, Surety surety, bool steady, bool few) {
  if (!basis.is_ground()) return {kWithheld, basis.most_severe->code};
  return measured(basis, surety, steady, few);
}

class Judge {
 public:
  explicit Judge(const Report& report) : report_(report), fit_(report) {}

  // `report` is the one that the constructor got.
  void judge_all(Report& report) const {
    for (PointRecord& run : report.points) {
      if (run.status == PointStatus::kOk) run.standing = of_one_run(run);
    }
    for (GroupRecord& group : report.groups) {
      group.standing = measured(fit_.basis_of(group.group), surety_of(group), group.steady != false,
                                is_few(group.n));
    }
    for (ScalingTable& table : report.scaling) {
      for (ScalingRow& row : table.rows) row.standing = of_row(table, row);
    }
    for (EffectRecord& effect : report.effects) effect.standing = of_effect(effect);
    for (DataGap& gap : report.data_gaps) {
      Basis basis;
      basis.add(fit_.basis_of(gap.real_group));
      basis.add(fit_.basis_of(gap.synthetic_group));
      gap.standing = concluded(basis, surety_of(2, gap.lost_share_ci95), true, false);
    }
    if (report.drift) {
      report.drift->standing = concluded(fit_.of_all(), Surety::kInterval, true, false);
    }
    for (CollectiveGroup& group : report.collective_groups) {
      group.standing =
          measured(fit_.basis_of(group.group), surety_of(group), true, is_few(group.n));
    }
    for (CollectiveFit& fit : report.collective_fits) {
      fit.standing = concluded(of_series(fit.fixed), Surety::kInterval, true, false);
    }
    for (ClaimRecord& claim : report.claims) {
      // The judge of claims withholds numbers itself; reports of earlier versions do not record
      // that.
      if (claim.measured && !claim.standing.is_withheld()) claim.standing = of_claim(claim);
    }
  }

 private:
  // A record may name runs that the report does not hold. Then all its runs stand for them.
  Basis or_all(const Basis& basis) const { return basis.runs == 0 ? fit_.of_all() : basis; }

  // The collectives of one series, which has one backend and one number of ranks.
  Basis of_series(const std::map<std::string, std::string>& fixed) const {
    const auto is = [&](const char* trait, const std::string& value) {
      const auto found = fixed.find(trait);
      return found == fixed.end() || found->second == value;
    };
    Basis basis;
    for (const CollectiveGroup& group : report_.collective_groups) {
      if (is("backend", group.backend) && is("world_size", std::to_string(group.world_size)) &&
          is("collective", std::string(name_of(group.collective)))) {
        basis.add(fit_.basis_of(group.group));
      }
    }
    return or_all(basis);
  }

  static bool is_few(std::ptrdiff_t runs) { return runs < kFitRuns; }

  Standing of_one_run(const PointRecord& run) const {
    Basis basis;
    basis.add(fit_.disturbance_of(run.id));
    return measured(basis, Surety::kOneRun, run.steady != false, true);
  }

  // Each pair joins a run with the baseline's run of the same block and session. The baseline
  // itself has only a rate.
  Standing of_row(const ScalingTable& table, const ScalingRow& row) const {
    Basis basis;
    if (row.points == table.baseline_points) {
      for (const std::string& id : row.points) basis.add(fit_.disturbance_of(id));
      return measured(basis, Surety::kInterval, true, is_few(std::ssize(row.points)));
    }
    for (const std::string& id : row.points) {
      Disturbance found = fit_.disturbance_of(id);
      const auto run = std::ranges::find(report_.points, id, &PointRecord::id);
      for (const std::string& other : table.baseline_points) {
        const auto baseline = std::ranges::find(report_.points, other, &PointRecord::id);
        const bool both = run != report_.points.end() && baseline != report_.points.end();
        if (both && block_of(*run) == block_of(*baseline)) {
          found = more_severe(found, fit_.disturbance_of(other));
        }
      }
      basis.add(found);
    }
    return concluded(basis, surety_of(row), !row.unsteady_runs, is_few(std::ssize(row.points)));
  }

  // The verdict on an effect rests on undisturbed pairs, or says that there are too few. Reports of
  // earlier versions have no such verdict.
  Standing of_effect(const EffectRecord& effect) const {
    Basis basis;
    for (const std::string& group : effect.groups) basis.add(fit_.basis_of(group));
    basis = or_all(basis);
    if (effect.verdict == statistics::EffectVerdict::kDisturbed || !basis.is_ground()) {
      return {kWithheld, basis.most_severe ? basis.most_severe->code : kinds::shared.code};
    }
    return measured({.runs = effect.pairs}, surety_of(effect), true, is_few(effect.pairs));
  }

  Standing of_claim(const ClaimRecord& claim) const {
    Basis basis = claim.groups.empty() ? fit_.of_all() : Basis();
    for (const std::string& group : claim.groups) basis.add(fit_.basis_of(group));
    const Bounds ci95{claim.measured_ci95_low, claim.measured_ci95_high};
    return concluded(basis, surety_of(claim.measured_ci95_low ? 2 : 1, ci95), true, false);
  }

  const Report& report_;
  const FitOfRuns fit_;
};

}  // namespace

void set_standings(Report& report) { Judge(report).judge_all(report); }

std::set<std::string> groundless(const Report& report) {
  const FitOfRuns fit(report);
  std::set<std::string> found;
  for (const auto& [group, basis] : fit.groups()) {
    if (!basis.is_ground()) found.insert(group);
  }
  if (!fit.of_all().is_ground()) found.insert(kWholeReport);
  return found;
}

void judge(Report& report) {
  report.verdict = judged(report);
  set_standings(report);
}

std::string quoting_words(std::span<const Report> reports) {
  auto most_severe = VerdictLevel::kQuotable;
  for (const Report& report : reports) {
    if (report.verdict) most_severe = std::max(most_severe, report.verdict->level);
  }
  return most_severe == VerdictLevel::kQuotable ? "" : quoting_words(most_severe);
}

std::string quoting_in_words(const Report& report) {
  if (!report.verdict) return "";
  const std::string words = quoting_words(report.verdict->level);
  const auto& reasons = report.verdict->reasons;
  if (reasons.empty() || reasons.front().code == kJudgedAnew) return words;
  const VerdictReason& most_severe = reasons.front();
  return words + ": " + most_severe.text +
         (most_severe.remedy.empty() ? "" : "; " + most_severe.remedy);
}

NextCommand next_command(const Report& report) {
  const std::string repeated = repeat_command(report);
  if (repeated.empty()) return {};
  if (!groundless(report).empty()) return {"once it is quiet", repeated};
  const std::string whole = without_option(repeated, "--quick", /*has_value=*/false);
  if (whole != repeated) return {kWithIntervals, whole};
  if (!report.verdict || report.verdict->reasons.empty()) return {};
  const std::string& remedy = report.verdict->reasons.front().remedy;  // e.g. "more runs: --x 5"
  const auto at = std::min(remedy.find("--"), remedy.size());
  const auto blank = std::min(remedy.find(' ', at), remedy.size());
  const std::string option = remedy.substr(at, blank - at);
  const bool is_value = blank + 1 < remedy.size() && remedy.find(' ', blank + 1) == remedy.npos;
  const bool repeats = option != "--repetitions" || report.invocation.command != "train";
  if (!is_value || !repeats) return {};  // `train` is one run
  return {"to be surer",
          without_option(repeated, option, /*has_value=*/true) + " " + remedy.substr(at)};
}

std::string reason_in_words(const Report& report, const Standing& standing) {
  if (report.verdict) {
    const auto& reasons = report.verdict->reasons;
    const auto told = std::ranges::find(reasons, standing.reason, &VerdictReason::code);
    if (told != reasons.end()) return told->text;
  }
  const auto found = std::ranges::find(report.findings, standing.reason, &Finding::code);
  return found == report.findings.end() ? standing.reason : found->text;
}

}  // namespace scalemark::reporting
