#include "core/statistics/steadiness/steady.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics/mean_interval.h"
#include "core/statistics/steadiness/change_point.h"
#include "core/statistics/steadiness/clipping.h"
#include "core/statistics/steadiness/words.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

double t_of(double p) { return students_t_quantile(p, kNoiseDirections); }

// Neighbours that became one point.
std::size_t steps_per_point(std::size_t steps) { return (steps + kMostPoints - 1) / kMostPoints; }

struct Evidence {
  std::size_t steps = 0;
  DecayFit fit;
  std::optional<std::size_t> decay;   // that is clear
  std::optional<ChangePoint> change;  // that was found
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

// Fewer are accidents that happen to stand together.
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

// What was seen, in words.
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

}  // namespace scalemark::statistics
