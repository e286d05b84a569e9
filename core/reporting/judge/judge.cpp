#include "core/reporting/judge/judge.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/surety.h"
#include "core/reporting/record/verdict.h"

namespace scalemark::reporting {
namespace {

namespace kinds = finding_kinds;

// The gravest first: the first that a run has is told as the reason.
constexpr std::array kDisturbances{&kinds::clocks_disagree, &kinds::counters_disagree,
                                   &kinds::throttled,       &kinds::shared,
                                   &kinds::machine_busy,    &kinds::others_unknown};

using Place = decltype(kDisturbances)::const_iterator;

Place place_of(std::string_view code) {
  return std::ranges::find_if(kDisturbances,
                              [&](const FindingKind* kind) { return code == kind->code; });
}

// How the runs that a number rests on went.
struct Basis {
  std::ptrdiff_t runs = 0, disturbed = 0, by_clocks = 0;
  bool too_brief = false;
  Place gravest = kDisturbances.end();

  void add(const Basis& more) {
    runs += more.runs;
    disturbed += more.disturbed;
    by_clocks += more.by_clocks;
    too_brief |= more.too_brief;
    gravest = std::min(gravest, more.gravest);
  }
  void add(Place found) {
    ++runs;
    if (found == kDisturbances.end()) return;
    gravest = std::min(gravest, found);
    if (*found == &kinds::others_unknown) {
      too_brief = true;
    } else {
      ++disturbed;
      by_clocks += *found == &kinds::clocks_disagree;
    }
  }
};

Standing with_care(const char* reason) { return {kShownWithCare, reason}; }

// A number that was measured.
Standing measured(const Basis& basis, Surety surety, bool steady, bool few) {
  if (!fit_decide(basis.runs - basis.by_clocks, basis.runs)) {
    return {kWithheld, kinds::clocks_disagree.code};
  }
  if (basis.disturbed > 0) return with_care((*basis.gravest)->code);
  if (is_rough(surety)) return with_care("wide_interval");
  if (surety == Surety::kOneRun) return with_care(kinds::single_repetition.code);
  if (surety == Surety::kNoInterval) return with_care(kinds::no_interval.code);
  if (!steady) return with_care(kinds::windows_not_steady.code);
  if (few) return with_care("few_runs");
  if (basis.too_brief) return with_care(kinds::others_unknown.code);
  return {kShown, {}};
}

// A number that was concluded from several.
Standing concluded(const Basis& basis, Surety surety, bool steady, bool few) {
  if (!fit_decide(basis.runs - basis.disturbed, basis.runs)) {
    return {kWithheld, (*basis.gravest)->code};
  }
  return measured(basis, surety, steady, few);
}

// The gravest that the words of CollectiveRecord::disturbed begin a part with: "shared: ...; ...".
Place gravest_said(const std::string& disturbed) {
  return std::ranges::find_if(kDisturbances, [&](const FindingKind* kind) {
    const std::string code = std::string(kind->code) + ":";
    return disturbed.starts_with(code) || disturbed.find("; " + code) != std::string::npos;
  });
}

class Judge {
 public:
  explicit Judge(const Report& report) : report_(report) {
    for (const Finding& finding : report.findings) {
      const Place found = place_of(finding.code);
      if (found == kDisturbances.end()) continue;
      if (!finding.point.empty()) note(finding.point, found);
      if (!finding.point.empty() || !report.collectives.empty()) continue;
      for (const PointRecord& run : report.points) note(run.id, found);  // it stands for all
    }
    for (const CollectiveRecord& run : report.collectives) {
      if (!run.disturbed.empty()) of_run_.emplace(run.id, gravest_said(run.disturbed));
    }
  }

  // `report`: the one that it was made of.
  void judge_all(Report& report) const {
    for (PointRecord& run : report.points) {
      if (is_ok(run)) run.standing = of_one_run(run);
    }
    for (GroupRecord& group : report.groups) {
      group.standing =
          measured(basis_of(group.group), surety_of(group), group.steady != false, is_few(group.n));
    }
    for (ScalingTable& table : report.scaling) {
      for (ScalingRow& row : table.rows) row.standing = of_row(table, row);
    }
    for (EffectRecord& effect : report.effects) effect.standing = of_effect(effect);
    for (DataGap& gap : report.data_gaps) {
      Basis basis = basis_of(gap.real_group);
      basis.add(basis_of(gap.synthetic_group));
      gap.standing = concluded(basis, surety_of(2, gap.lost_share_ci95), true, false);
    }
    if (report.drift) {
      report.drift->standing = concluded(of_all(), Surety::kInterval, true, false);
    }
    for (CollectiveGroup& group : report.collective_groups) {
      group.standing = measured(basis_of(group.group), surety_of(group), true, is_few(group.n));
    }
    for (CollectiveFit& fit : report.collective_fits) {
      fit.standing = concluded(of_all(), Surety::kInterval, true, false);
    }
    for (ClaimRecord& claim : report.claims) {
      // The judge of claims says what it withholds; reports of before do not.
      if (claim.measured && !claim.standing.is_withheld()) claim.standing = of_claim(claim);
    }
  }

  // Whether enough runs of a group, or of all where it is empty, were fit.
  bool is_ground(const std::string& group) const {
    const Basis basis = group.empty() ? of_all() : basis_of(group);
    return fit_decide(basis.runs - basis.disturbed, basis.runs);
  }

 private:
  void note(const std::string& run, Place found) {
    Place& known = of_run_.try_emplace(run, found).first->second;
    known = std::min(known, found);
  }

  static bool is_ok(const auto& run) { return run.status == PointStatus::kOk; }
  static bool is_few(std::ptrdiff_t runs) { return runs < kFitRuns; }

  Place disturbance_of(const std::string& run) const {
    const auto found = of_run_.find(run);
    return found == of_run_.end() ? kDisturbances.end() : found->second;
  }

  Basis basis_of(const std::string& group) const {
    Basis basis;
    for (const PointRecord& run : report_.points) {
      if (is_ok(run) && run.group == group) basis.add(disturbance_of(run.id));
    }
    for (const CollectiveRecord& run : report_.collectives) {
      if (is_ok(run) && run.group == group) basis.add(disturbance_of(run.id));
    }
    return basis;
  }

  Basis of_all() const {
    Basis basis;
    for (const PointRecord& run : report_.points) {
      if (is_ok(run)) basis.add(disturbance_of(run.id));
    }
    for (const CollectiveRecord& run : report_.collectives) {
      if (is_ok(run)) basis.add(disturbance_of(run.id));
    }
    return basis;
  }

  Standing of_one_run(const PointRecord& run) const {
    Basis basis;
    basis.add(disturbance_of(run.id));
    return measured(basis, Surety::kOneRun, run.steady != false, true);
  }

  // Each pair is one run with the baseline's of its block and session. The baseline itself has a
  // rate only.
  Standing of_row(const ScalingTable& table, const ScalingRow& row) const {
    Basis basis;
    if (row.points == table.baseline_points) {
      for (const std::string& id : row.points) basis.add(disturbance_of(id));
      return measured(basis, Surety::kInterval, true, is_few(std::ssize(row.points)));
    }
    for (const std::string& id : row.points) {
      Place found = disturbance_of(id);
      const auto run = std::ranges::find(report_.points, id, &PointRecord::id);
      for (const std::string& other : table.baseline_points) {
        const auto baseline = std::ranges::find(report_.points, other, &PointRecord::id);
        const bool both = run != report_.points.end() && baseline != report_.points.end();
        if (both && run->block == baseline->block && run->session == baseline->session) {
          found = std::min(found, disturbance_of(other));
        }
      }
      basis.add(found);
    }
    return concluded(basis, surety_of(row), !row.unsteady_runs, is_few(std::ssize(row.points)));
  }

  // Its verdict is of the pairs that nothing disturbed, or says that these are too few; a report of
  // before had no such verdict.
  Standing of_effect(const EffectRecord& effect) const {
    Basis basis;
    bool all_are_ground = effect.verdict != statistics::EffectVerdict::kDisturbed;
    for (const std::string& group : effect.groups) {
      basis.add(basis_of(group));
      all_are_ground = all_are_ground && is_ground(group);
    }
    if (!all_are_ground) {
      const bool told = basis.gravest != kDisturbances.end();
      return {kWithheld, told ? (*basis.gravest)->code : kinds::shared.code};
    }
    return measured({.runs = effect.pairs}, surety_of(effect), true, is_few(effect.pairs));
  }

  Standing of_claim(const ClaimRecord& claim) const {
    Basis basis = claim.groups.empty() ? of_all() : Basis();
    for (const std::string& group : claim.groups) basis.add(basis_of(group));
    const Bounds ci95{claim.measured_ci95_low, claim.measured_ci95_high};
    return concluded(basis, surety_of(claim.measured_ci95_low ? 2 : 1, ci95), true, false);
  }

  const Report& report_;
  std::map<std::string, Place> of_run_;
};

}  // namespace

void set_standings(Report& report) { Judge(report).judge_all(report); }

bool is_ground(const Report& report, const std::string& group) {
  return Judge(report).is_ground(group);
}

void judge(Report& report) {
  report.verdict = judged(report);
  set_standings(report);
}

std::string quoting_words(VerdictLevel level) {
  switch (level) {
    case VerdictLevel::kQuotable:
      return "quotable";
    case VerdictLevel::kWithCare:
      return "quote with care";
    case VerdictLevel::kDoNotQuote:
      break;
  }
  return "do not quote";
}

std::string quoting_words(std::span<const Report> reports) {
  auto gravest = VerdictLevel::kQuotable;
  for (const Report& report : reports) {
    if (report.verdict) gravest = std::max(gravest, report.verdict->level);
  }
  return gravest == VerdictLevel::kQuotable ? "" : quoting_words(gravest);
}

std::string quoting_in_words(const Report& report) {
  if (!report.verdict) return "";
  const std::string words = quoting_words(report.verdict->level);
  const auto& reasons = report.verdict->reasons;
  if (reasons.empty() || reasons.front().code == kJudgedAnew) return words;
  const VerdictReason& gravest = reasons.front();
  return words + ": " + gravest.text + (gravest.remedy.empty() ? "" : "; " + gravest.remedy);
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
