#include "core/statistics/acceptance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

#include "core/base/error.h"
#include "core/statistics/acceptance_basis.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/median_interval.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::size_t kSlowRunsToFail = 2;
constexpr double kDecidedWith = 0.99;

using Basis = AcceptanceBasis;
using Outcome = AcceptanceOutcome;
using Reason = AcceptanceReason;

bool are_finite(Repetitions values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// Returns the values of the parts that can be judged by `runs` repetitions.
std::vector<Repetitions> with_runs(std::span<const AcceptancePart> parts, std::size_t runs) {
  std::vector<Repetitions> enough;
  for (const AcceptancePart& part : parts) {
    if (part.values.size() >= runs && are_finite(part.values)) enough.push_back(part.values);
  }
  return enough;
}

// Fills in the figures, and the outcome where the look decides.
bool is_decided(AcceptanceVerdict& verdict, const Basis& basis, Repetitions values, double limit) {
  const Repetitions first = values.first(basis.runs);
  verdict.repetitions = basis.runs;
  verdict.from_reference = mean(first) - basis.reference->ln_value;
  if (!basis.variance) return false;
  verdict.half_width = half_width_of(basis, moderated_variance(basis, first), basis.runs);
  if (*verdict.from_reference - *verdict.half_width > limit) {
    verdict.outcome = Outcome::kPass;
    verdict.reason = Reason::kAboveLimit;
    return true;
  }
  if (*verdict.from_reference + *verdict.half_width < limit) {
    verdict.outcome = Outcome::kFail;
    verdict.reason = Reason::kBelowLimit;
    return true;
  }
  return false;
}

// The first look that decides stands.
AcceptanceVerdict judge_by_looks(Repetitions values, std::span<const Basis> bases, double limit) {
  AcceptanceVerdict verdict;
  for (const Basis& basis : bases) {
    if (values.size() < basis.runs) {
      verdict.outcome = Outcome::kRepeat;
      verdict.reason = verdict.repetitions > 0 ? Reason::kUndecided : Reason::kFewRepetitions;
      verdict.more_repetitions = basis.runs - values.size();
      return verdict;
    }
    if (is_decided(verdict, basis, values, limit)) return verdict;
  }
  verdict.reason = bases.back().variance ? Reason::kLastLook : Reason::kFewParts;
  return verdict;
}

// The noise is the usual one of the class, or that of the part's usual runs where it is larger: by
// its standard deviation, a part would hide the runs in which it is slow.
void judge_single_runs(AcceptanceVerdict& verdict, Repetitions values, const Basis& basis,
                       double limit) {
  if (values.size() < kRunsForIntermittent || !basis.variance) return;
  const double noise = std::max(std::sqrt(*basis.variance), spread_by_median(values));
  const double surely_slow =
      basis.reference->ln_value + limit - half_width_of(basis, noise * noise, 1);
  verdict.slow_runs = static_cast<std::size_t>(
      std::ranges::count_if(values, [=](double value) { return value < surely_slow; }));
  if (verdict.slow_runs < kSlowRunsToFail || verdict.outcome == Outcome::kFail) return;
  verdict.outcome = Outcome::kFail;
  verdict.reason = Reason::kIntermittent;
  verdict.more_repetitions = 0;
}

// Judges one class by one check, before what is unsteady or in doubt is taken back.
class Judge {
 public:
  Judge(std::span<const AcceptancePart> parts, const AcceptanceRule& rule,
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

  AcceptanceVerdict verdict(Repetitions values) const {
    if (values.empty()) return {.reason = Reason::kMissing};
    if (!are_finite(values)) return {.reason = Reason::kNotFinite};
    const bool others_follow = measured_ >= kPartsForReference;
    if (!common().reference && !(others_follow && values.size() < bases_.front().runs)) {
      return {.reason = two_differ_ ? Reason::kOneOfTwo : Reason::kNoReference};
    }
    AcceptanceVerdict verdict = judge_by_looks(values, bases_, limit_);
    if (common().reference) judge_single_runs(verdict, values, common(), limit_);
    return verdict;
  }

  std::optional<double> smallest_decidable() const {
    const Basis& last = bases_.back();
    if (!last.reference || !last.variance) return std::nullopt;
    const double chance = last.runs == 1 ? normal_quantile(kDecidedWith)
                                         : students_t_quantile(kDecidedWith, last.all_degrees());
    return -std::expm1(limit_ - half_width_of(last, *last.variance, last.runs) -
                       chance * error_of_difference(last, *last.variance, last.runs));
  }

 private:
  std::size_t measured_;
  double limit_;
  std::vector<Basis> bases_;  // of each look
  bool two_differ_ = false;
};

void take_back(AcceptanceVerdict& verdict, Reason reason) {
  if (verdict.outcome != Outcome::kPass) return;
  verdict.outcome = Outcome::kUnsure;
  verdict.reason = reason;
}

// A drift that most parts share cancels in the difference to the fleet, not in that to a baseline.
void take_back_unsteady(std::span<const AcceptancePart> parts, bool with_baseline,
                        std::vector<AcceptanceVerdict>& verdicts) {
  const auto measured = std::ranges::count_if(parts, [](auto& p) { return !p.values.empty(); });
  const auto steady =
      std::ranges::count_if(parts, [](auto& p) { return !p.values.empty() && !p.unsteady; });
  if (!with_baseline && 2 * steady <= measured) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].unsteady) take_back(verdicts[i], Reason::kNotSteady);
  }
}

AcceptanceDoubt doubt_of(std::span<const AcceptanceVerdict> verdicts, double limit) {
  std::size_t not_passed = 0, faster = 0;
  for (const AcceptanceVerdict& verdict : verdicts) {
    not_passed += verdict.outcome != Outcome::kPass;
    faster += verdict.half_width && *verdict.from_reference - *verdict.half_width > -limit;
  }
  if (20 * faster > verdicts.size()) return AcceptanceDoubt::kManyFaster;
  return 4 * not_passed > verdicts.size() ? AcceptanceDoubt::kManyNotPassed
                                          : AcceptanceDoubt::kNone;
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

ClassVerdict judge_class(std::span<const AcceptancePart> parts, const AcceptanceRule& rule,
                         const std::optional<AcceptanceReference>& baseline) {
  check(rule);
  const Judge judge(parts, rule, baseline);
  ClassVerdict verdict{.limit = judge.limit(),
                       .reference = judge.common().reference,
                       .smallest_decidable = judge.smallest_decidable()};
  if (judge.common().variance) verdict.spread = std::sqrt(*judge.common().variance);
  for (const AcceptancePart& part : parts) verdict.parts.push_back(judge.verdict(part.values));
  take_back_unsteady(parts, baseline.has_value(), verdict.parts);
  if (!baseline && verdict.reference) {
    verdict.doubt = doubt_of(verdict.parts, verdict.limit);
    if (verdict.doubt != AcceptanceDoubt::kNone) {
      for (AcceptanceVerdict& part : verdict.parts) take_back(part, Reason::kReferenceInDoubt);
    }
  }
  return verdict;
}

bool is_node_at_fault(std::span<const AcceptanceOutcome> devices) {
  const auto failed = static_cast<std::size_t>(std::ranges::count(devices, Outcome::kFail));
  return failed >= 2 && 2 * failed >= devices.size();
}

}  // namespace scalemark::statistics
