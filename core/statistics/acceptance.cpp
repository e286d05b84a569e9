#include "core/statistics/acceptance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

#include "core/base/error.h"
#include "core/statistics/acceptance_basis.h"
#include "core/statistics/acceptance_sessions.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kDecidedWith = 0.99;

using Basis = AcceptanceBasis;
using Outcome = AcceptanceOutcome;
using Reason = AcceptanceReason;

// Returns the values of the parts that can be judged by `runs` repetitions and are not kept out of
// the reference.
std::vector<Repetitions> with_runs(std::span<const ComparedPart> parts, std::size_t runs) {
  std::vector<Repetitions> enough;
  for (const ComparedPart& part : parts) {
    if (part.kept_out) continue;
    if (part.values.size() >= runs && are_finite(part.values)) enough.push_back(part.values);
  }
  return enough;
}

// Fills in the figures, and the outcome where the look decides.
bool is_decided(AcceptanceJudgement& judgement, const Basis& basis, const ComparedPart& part,
                double limit) {
  const Repetitions first = std::span(part.values).first(basis.runs);
  judgement.repetitions = basis.runs;
  judgement.from_reference = mean(first) - basis.reference->ln_value;
  if (!basis.variance) return false;
  judgement.half_width = half_width_of(basis, moderated_noise(basis, first), basis.runs,
                                       part.error_of_sessions(basis.runs));
  if (*judgement.from_reference - *judgement.half_width > limit) {
    judgement.outcome = Outcome::kPass;
    judgement.reason = Reason::kAboveLimit;
    return true;
  }
  if (*judgement.from_reference + *judgement.half_width < limit) {
    judgement.outcome = Outcome::kFail;
    judgement.reason = Reason::kBelowLimit;
    return true;
  }
  return false;
}

// The verdict is that of the first look that decides.
AcceptanceJudgement judge_by_looks(const ComparedPart& part, std::span<const Basis> bases,
                                   double limit) {
  AcceptanceJudgement judgement;
  for (const Basis& basis : bases) {
    if (part.values.size() < basis.runs) {
      judgement.outcome = Outcome::kRepeat;
      judgement.reason = judgement.repetitions > 0 ? Reason::kUndecided : Reason::kFewRepetitions;
      if (part.lacks_controls) judgement.reason = Reason::kNoControls;
      judgement.more_repetitions = basis.runs - part.values.size();
      return judgement;
    }
    if (is_decided(judgement, basis, part, limit)) return judgement;
  }
  judgement.reason = bases.back().variance ? Reason::kLastLook : Reason::kFewParts;
  return judgement;
}

// Judges one class by one check, before what is unsteady or in doubt is taken back.
class Judge {
 public:
  Judge(std::span<const ComparedPart> parts, const AcceptanceRule& rule,
        const std::optional<AcceptanceReference>& baseline)
      : measured_(with_runs(parts, 1).size()), limit_(std::log1p(-rule.tolerance)) {
    const auto reached = with_runs(parts, rule.looks.front());
    bases_ = acceptance_bases(reached, rule.looks, baseline);
    two_differ_ = measured_ == 2 && reached.size() == 2 &&
                  std::abs(mean(reached[0]) - mean(reached[1])) > -limit_;
  }

  double limit() const { return limit_; }
  // The basis of the most repetitions that all parts have.
  const Basis& common() const {
    return *std::ranges::find(bases_ | std::views::reverse, true, &Basis::reached_by_all);
  }

  AcceptanceJudgement judge_part(const ComparedPart& part) const {
    if (part.values.empty()) return {.reason = Reason::kMissing};
    if (!are_finite(part.values)) return {.reason = Reason::kNotFinite};
    const bool others_follow = measured_ >= kPartsForReference;
    if (!common().reference && !(others_follow && part.values.size() < bases_.front().runs)) {
      return {.reason = two_differ_ ? Reason::kOneOfTwo : Reason::kNoReference};
    }
    return judge_by_looks(part, bases_, limit_);
  }

  void judge_single_runs(std::span<const ComparedPart> parts,
                         std::vector<AcceptanceJudgement>& judgements) const {
    if (!common().reference || !common().variance) return;
    std::vector<bool> failed;
    for (const AcceptanceJudgement& one : judgements) {
      failed.push_back(one.outcome == Outcome::kFail);
    }
    const SlowRuns slow = slow_runs_of(parts, common(), limit_, failed);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].values.size() >= kRunsForIntermittent) judgements[i].slow_runs = slow.runs[i];
      if (!slow.is_intermittent[i]) continue;
      judgements[i].outcome = Outcome::kFail;
      judgements[i].reason = Reason::kIntermittent;
      judgements[i].more_repetitions = 0;
    }
  }

  std::optional<double> smallest_decidable() const {
    const Basis& last = bases_.back();
    if (!last.reference || !last.variance) return std::nullopt;
    const double chance = last.runs == 1 ? normal_quantile(kDecidedWith)
                                         : students_t_quantile(kDecidedWith, last.all_degrees());
    const AcceptanceNoise noise = usual_noise(last);
    return -std::expm1(limit_ - half_width_of(last, noise, last.runs) -
                       chance * error_of_difference(last, noise, last.runs));
  }

 private:
  std::size_t measured_;
  double limit_;
  std::vector<Basis> bases_;  // one for each look
  bool two_differ_ = false;
};

// With a baseline, sessions count as boots, and the baseline's error contains the spread between
// boots; so the shifts of sessions are not taken off.
std::vector<ComparedPart> compared_parts(std::span<const AcceptancePart> parts,
                                         const AcceptanceRule& rule, bool has_baseline) {
  if (has_baseline) return as_measured(parts);
  std::vector<ComparedPart> compared = first_session(parts);
  keep_out(compared, std::log1p(-rule.tolerance));
  if (!has_later_sessions(parts)) return compared;
  const Judge first(compared, rule, std::nullopt);
  std::vector<bool> passed;
  for (const ComparedPart& part : compared) {
    passed.push_back(first.judge_part(part).outcome == Outcome::kPass);
  }
  add_later_sessions(parts, passed, first.common().variance.value_or(0), compared);
  return compared;
}

void take_back(AcceptanceJudgement& judgement, Reason reason) {
  if (judgement.outcome != Outcome::kPass) return;
  judgement.outcome = Outcome::kUnsure;
  judgement.reason = reason;
}

// A drift that most parts share cancels in the difference to the fleet, not in that to a baseline.
void take_back_unsteady(std::span<const AcceptancePart> parts, bool with_baseline,
                        std::vector<AcceptanceJudgement>& judgements) {
  const auto measured = std::ranges::count_if(parts, [](auto& p) { return !p.values.empty(); });
  const auto steady =
      std::ranges::count_if(parts, [](auto& p) { return !p.values.empty() && !p.unsteady; });
  if (!with_baseline && 2 * steady <= measured) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].unsteady) take_back(judgements[i], Reason::kNotSteady);
  }
}

bool is_surely_faster(const AcceptanceJudgement& one, double limit) {
  return one.half_width && *one.from_reference - *one.half_width > -limit;
}

// Parts that are kept out of the reference are known to be faster, and reported as such.
AcceptanceDoubt doubt_of(const ClassJudgement& judgement) {
  const std::size_t parts = judgement.parts.size();
  const auto passed = static_cast<std::size_t>(
      std::ranges::count(judgement.parts, Outcome::kPass, &AcceptanceJudgement::outcome));
  if (20 * judgement.faster.size() > parts + 20 * judgement.kept_out.size()) {
    return AcceptanceDoubt::kManyFaster;
  }
  return 4 * (parts - passed) > parts ? AcceptanceDoubt::kManyNotPassed : AcceptanceDoubt::kNone;
}

void check(const AcceptanceRule& rule) {
  const auto& looks = rule.looks;
  const bool ascending = std::ranges::adjacent_find(looks, std::greater_equal<>()) == looks.end();
  if (looks.empty() || looks.front() < 1 || !ascending ||
      (looks.front() == 1 && looks.size() > 1)) {
    throw bug("judge_class() was given looks that do not ascend, or another one after 1");
  }
  if (!(rule.tolerance > 0 && rule.tolerance < 1)) {
    throw bug("judge_class() was given a tolerance that is not between 0 and 1");
  }
}

}  // namespace

ClassJudgement judge_class(std::span<const AcceptancePart> parts, const AcceptanceRule& rule,
                           const std::optional<AcceptanceReference>& baseline) {
  check(rule);
  const std::vector<ComparedPart> compared = compared_parts(parts, rule, baseline.has_value());
  const Judge judge(compared, rule, baseline);
  ClassJudgement judgement{.limit = judge.limit(),
                           .reference = judge.common().reference,
                           .smallest_decidable = judge.smallest_decidable()};
  if (judge.common().variance) judgement.spread = std::sqrt(*judge.common().variance);
  for (const ComparedPart& part : compared) judgement.parts.push_back(judge.judge_part(part));
  judge.judge_single_runs(compared, judgement.parts);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    if (compared[i].kept_out) judgement.kept_out.push_back(i);
    if (is_surely_faster(judgement.parts[i], judgement.limit)) judgement.faster.push_back(i);
  }
  take_back_unsteady(parts, baseline.has_value(), judgement.parts);
  if (!baseline && judgement.reference) {
    judgement.doubt = doubt_of(judgement);
    if (judgement.doubt != AcceptanceDoubt::kNone) {
      for (AcceptanceJudgement& part : judgement.parts) take_back(part, Reason::kReferenceInDoubt);
    }
  }
  return judgement;
}

bool is_node_at_fault(std::span<const AcceptanceOutcome> devices) {
  const auto failed = static_cast<std::size_t>(std::ranges::count(devices, Outcome::kFail));
  return failed >= 2 && 2 * failed >= devices.size();
}

}  // namespace scalemark::statistics
