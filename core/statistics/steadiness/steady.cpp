#include "core/statistics/steadiness/steady.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number_words.h"
#include "core/statistics/steadiness/change_point.h"
#include "core/statistics/steadiness/decay_fit.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr std::array<const char*, kDecays> kAsLongAs{"a twentieth as long as", "a tenth as long as",
                                                     "a fifth as long as", "half as long as",
                                                     "as long as"};

// `decay` is the index into kDecayLengths. Shares: 0.01 = 1 %.

// "a bias up to 2.13 % could hide (a warm-up as long as the window)"
std::string bound_in_words(std::size_t decay, double bound) {
  return "a bias up to " + percent(bound, 2) + " could hide (a warm-up " + kAsLongAs.at(decay) +
         " the window)";
}

// "step times fall as in a warm-up half as long as the window: their mean is about 1.02 % too
// high"; of a negative bias: "step times rise as in a slowdown ... too low".
std::string decay_in_words(std::size_t decay, double bias) {
  const bool falls = bias > 0;
  return std::string("step times ") + (falls ? "fall as in a warm-up " : "rise as in a slowdown ") +
         kAsLongAs.at(decay) + " the window: their mean is about " + percent(std::abs(bias), 2) +
         (falls ? " too high" : " too low");
}

// "from step 320 on steps take 9.8 % longer"
std::string change_in_words(std::int64_t step, double change) {
  return "from step " + std::to_string(step) + " on steps take " + percent(std::abs(change), 2) +
         (change > 0 ? " longer" : " less time");
}

double t_of(double p) { return students_t_quantile(p, kNoiseDirections); }

// How many neighbouring steps are averaged into one point.
std::size_t steps_per_point(std::size_t steps) { return (steps + kMostPoints - 1) / kMostPoints; }

struct Evidence {
  std::size_t steps = 0;
  DecayFit fit;
  std::optional<std::size_t> decay;   // a decay that is clear
  std::optional<ChangePoint> change;  // a change of level
  BiasBound bound;
};

Column averaged(Column steps) {
  const std::size_t together = steps_per_point(steps.size());
  return together == 1 ? std::move(steps) : batch_means(steps, together);
}

std::optional<ChangePoint> change_in(const DecayBasis& basis, const Column& points) {
  const auto change = most_likely_change(basis, points);
  return change && change->is_found ? change : std::nullopt;
}

// Fewer stalls may stand together by chance.
constexpr std::ptrdiff_t kFewestStalls = 8;

std::ptrdiff_t stalls_among(std::span<const double> steps, double limit) {
  return std::ranges::count_if(steps, [&](double step) { return step > limit; });
}

// Clipping hides stalls, and a level can be made of them: a CPU quota stops a process for tens of
// milliseconds ten times a second, which is one step in hundreds where steps are short.
std::optional<ChangePoint> change_of_stalls(std::span<const double> step_s,
                                            const DecayBasis& basis) {
  const auto change = change_in(basis, averaged({step_s.begin(), step_s.end()}));
  if (!change) return std::nullopt;
  const std::size_t first = change->first * steps_per_point(step_s.size());
  const auto slower = change->change > 0 ? step_s.subspan(first) : step_s.first(first);
  const double limit = std::ranges::max(clipped(step_s));
  return stalls_among(slower, limit) >= kFewestStalls ? change : std::nullopt;
}

Evidence evidence_in(std::span<const double> step_s, const DecayBasis& basis) {
  const Column points = points_to_fit(step_s);
  Evidence seen{.steps = step_s.size(), .fit = fit_decays(basis, points)};
  seen.decay = clear_decay(seen.fit, t_of(kSureOfUnsteady), seen.fit.bias);
  seen.change = change_in(basis, points);
  if (!seen.change) seen.change = change_of_stalls(step_s, basis);
  seen.bound = largest_bound(seen.fit.bias, seen.fit.error, t_of(kSureOfSteady));
  return seen;
}

bool is_sure(const Evidence& seen) {
  const double independent = std::max(seen.decay ? seen.fit.independent_values : 0,
                                      seen.change ? seen.change->independent_values : 0);
  return seen.steps >= kStepsForUnsteady && independent >= kFewestIndependent;
}

// Says in words what was seen.
std::string words_of(const Evidence& seen, const SteadyCheck& check) {
  if (check.change_step) return change_in_words(*check.change_step, seen.change->change);
  return decay_in_words(*seen.decay, seen.fit.bias[*seen.decay]);
}

void judge_seen(SteadyCheck& check, const Evidence& seen) {
  const std::string what = words_of(seen, check);
  if (is_sure(seen)) {
    check.steady = false;
    check.reason = what;
    return;
  }
  check.reason = what + ", but " +
                 (seen.steps < kStepsForUnsteady
                      ? std::to_string(seen.steps) + " steps of one run (< 200) are too few"
                      : "neighbouring steps are too correlated") +
                 " to be sure: " + bound_in_words(seen.bound.decay, *check.bias_bound);
}

}  // namespace

std::size_t points_of(std::size_t steps) { return steps == 0 ? 0 : steps / steps_per_point(steps); }

std::vector<double> points_to_fit(std::span<const double> step_s) {
  return averaged(clipped(step_s));
}

SteadyCheck check_steady(std::span<const double> step_s) {
  if (step_s.size() < kFewestPoints) return {.reason = "fewer than 20 steps"};
  return check_steady(step_s, decay_basis(points_of(step_s.size())));
}

SteadyCheck check_steady(std::span<const double> step_s, const DecayBasis& basis) {
  const Evidence seen = evidence_in(step_s, basis);
  SteadyCheck check{.bias_bound = seen.bound.bias, .biases = seen.fit.bias};
  if (seen.change) {
    check.change_step =
        static_cast<std::int64_t>(seen.change->first * steps_per_point(step_s.size()));
    check.bias_bound = std::max(seen.bound.bias, std::abs(seen.change->bias));
  }
  if (seen.decay || seen.change) {
    judge_seen(check, seen);
  } else if (seen.fit.independent_values < kFewestIndependent) {
    check.reason = "neighbouring steps are too correlated: " +
                   bound_in_words(seen.bound.decay, *check.bias_bound);
  } else if (seen.bound.bias <= kBiasAllowed) {
    check.steady = true;
    check.reason = bound_in_words(seen.bound.decay, *check.bias_bound);
  } else {
    check.reason = bound_in_words(seen.bound.decay, *check.bias_bound);
  }
  return check;
}

namespace {

constexpr double kSureOfUnsteadyTogether = 0.99;

// Mean and standard error over runs of each decay's bias.
DecayFit over_runs(const std::vector<OfDecays>& runs) {
  DecayFit fit;
  for (std::size_t k = 0; k < kDecays; ++k) {
    std::vector<double> biases;
    for (const OfDecays& run : runs) biases.push_back(run[k]);
    fit.bias[k] = mean(biases);
    fit.error[k] = standard_error(biases, fit.bias[k]);
  }
  return fit;
}

std::size_t count_unsteady(std::span<const WindowVerdict> runs) {
  return static_cast<std::size_t>(
      std::ranges::count(runs, std::optional<bool>(false), &WindowVerdict::steady));
}

std::string runs_of(std::size_t count, std::size_t all) {
  return std::to_string(count) + " of " + std::to_string(all) + " runs";
}

PooledCheck of_few(std::span<const WindowVerdict> runs) {
  PooledCheck check;
  if (runs.empty()) return check;
  const auto& first = runs.front().steady;
  if (std::ranges::all_of(runs, [&](const auto& run) { return run.steady == first; })) {
    check.steady = first;
  }
  for (const WindowVerdict& run : runs) {
    check.bias_bound = std::max(check.bias_bound, run.bias_bound);
  }
  check.reason = check.steady == false ? "each run by itself is not steady"
                                       : "too few runs to judge them together";
  return check;
}

void judge(PooledCheck& check, const DecayFit& fit, std::size_t unsteady, std::size_t runs) {
  const auto degrees = static_cast<double>(runs - 1);
  const auto bound =
      largest_bound(fit.bias, fit.error, students_t_quantile(kSureOfSteady, degrees));
  check.bias_bound = bound.bias;
  check.reason = bound_in_words(bound.decay, bound.bias);
  const double t = students_t_quantile(kSureOfUnsteadyTogether, degrees);
  if (const auto decay = clear_decay(fit, t, fit.bias)) {
    check.steady = false;
    check.reason = decay_in_words(*decay, fit.bias[*decay]) + ", in all runs alike";
  } else if (2 * unsteady > runs) {
    check.steady = false;
    check.reason = runs_of(unsteady, runs) + " are not steady";
  } else if (unsteady > 1) {
    check.reason = runs_of(unsteady, runs) + " are not steady: " + check.reason;
  } else if (bound.bias <= kBiasAllowed) {
    check.steady = true;
  }
}

}  // namespace

PooledCheck pooled_steady(std::span<const WindowVerdict> runs) {
  std::vector<OfDecays> biases;
  for (const WindowVerdict& run : runs) {
    if (run.biases) biases.push_back(*run.biases);
  }
  if (biases.size() < kRunsToPool || biases.size() < runs.size()) return of_few(runs);
  PooledCheck check;
  judge(check, over_runs(biases), count_unsteady(runs), runs.size());
  return check;
}

bool has_settled(std::span<const double> step_s) {
  if (step_s.size() < kFewestPoints) return true;
  const auto later = step_s.last(std::max(kFewestPoints, step_s.size() / 2));
  const DecayBasis basis = decay_basis(points_of(later.size()));
  const DecayFit fit = fit_decays(basis, points_to_fit(later));
  OfDecays left{};  // how much of each decay is left at the end, relative to the level
  for (std::size_t k = 0; k < kDecays; ++k) {
    left[k] = fit.bias[k] / basis.decays[k].mean * std::exp(-1 / kDecayLengths[k]);
  }
  const double t = students_t_quantile(kSureOfUnsteady, kNoiseDirections);
  return !clear_decay(fit, t, left);
}

}  // namespace scalemark::statistics
