#include "core/statistics/variance_split.h"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

constexpr double kTail = 0.025;
constexpr double kWorthSaving = 0.10, kLongestWindow = 10;

// The value that F, with infinitely many degrees of freedom in its denominator, exceeds with the
// probability `above`.
double f_quantile(double above, double degrees) {
  const boost::math::chi_squared distribution(degrees);
  return boost::math::quantile(boost::math::complement(distribution, above)) / degrees;
}

double f_quantile(double above, double degrees_a, double degrees_b) {
  const boost::math::fisher_f distribution(degrees_a, degrees_b);
  return boost::math::quantile(boost::math::complement(distribution, above));
}

double square(double value) { return value * value; }

// How far one end of the interval of a - b is from the estimate. `above`: kTail for the lower end,
// 1 - kTail for the upper one.
double distance_of_end(const VarianceEstimate& a, const VarianceEstimate& b, double above) {
  const double of_a = 1 - 1 / f_quantile(above, a.degrees);
  const double of_b = 1 / f_quantile(1 - above, b.degrees) - 1;
  const double f = f_quantile(above, a.degrees, b.degrees);
  const double of_both = (square(f - 1) - square(of_a * f) - square(of_b)) / f;
  return std::sqrt(
      std::max(0.0, square(of_a * a.value) + square(of_b * b.value) + of_both * a.value * b.value));
}

struct SplitLevels {
  std::vector<double> session_means;
  VarianceEstimate runs, steps;
  double mean_inverse_runs = 0;  // mean over sessions of 1 / its runs
};

void add_steps(SplitLevels& levels, const std::vector<SplitRun>& session, double& known) {
  for (const SplitRun& run : session) {
    if (!run.steps) continue;
    ++known;
    levels.steps.value += run.steps->variance;
    levels.steps.degrees += static_cast<double>(run.steps->degrees);
  }
}

SplitLevels split_levels_of(std::span<const std::vector<SplitRun>> sessions) {
  SplitLevels levels;
  double squares = 0, known = 0;
  for (const auto& session : sessions) {
    std::vector<double> logs;
    for (const SplitRun& run : session) logs.push_back(run.ln_rate);
    levels.session_means.push_back(mean(logs));
    squares += sum_of_squares(logs, levels.session_means.back());
    const auto runs = static_cast<double>(logs.size());
    levels.runs.degrees += runs - 1;
    levels.mean_inverse_runs += 1 / runs / static_cast<double>(sessions.size());
    add_steps(levels, session, known);
  }
  levels.runs.value = levels.runs.degrees > 0 ? squares / levels.runs.degrees : 0;
  levels.steps.value = known > 0 ? levels.steps.value / known : 0;
  return levels;
}

double root_of_difference(double a, double b) { return std::sqrt(std::max(0.0, a - b)); }

Interval root_of(const Interval& variances) {
  return {std::sqrt(variances.low), std::sqrt(variances.high)};
}

void set_sessions(VarianceSplit& split, const SplitLevels& levels) {
  if (levels.session_means.size() < 2) return;
  const auto degrees = static_cast<double>(levels.session_means.size() - 1);
  const double centre = mean(levels.session_means);
  const VarianceEstimate means{sum_of_squares(levels.session_means, centre) / degrees, degrees};
  const VarianceEstimate runs{levels.runs.value * levels.mean_inverse_runs, levels.runs.degrees};
  split.sessions = root_of_difference(means.value, runs.value);
  split.sessions_ci95 = root_of(variance_difference_ci95(means, runs));
}

// The share of the time that windows `growth` times as long save if `beyond_steps` is the truth.
double saved_share(double steps, double beyond_steps, const RunCost& cost, double growth) {
  const auto time = [&](double g) {
    return (square(beyond_steps) + square(steps) / g) * (cost.fixed_s + cost.window_s * g);
  };
  return time(1) > 0 ? 1 - time(growth) / time(1) : 0;
}

double best_growth(double steps, double beyond_steps, const RunCost& cost) {
  if (steps == 0) return 1;
  if (beyond_steps == 0) return kLongestWindow;
  const double growth = std::sqrt(cost.fixed_s / cost.window_s) * steps / beyond_steps;
  return std::clamp(growth, 1.0, kLongestWindow);
}

bool sessions_rule(const VarianceSplit& split, double mean_runs, std::size_t sessions) {
  if (sessions < 3) return sessions == 2;
  return split.sessions_ci95->low > 0 &&
         square(*split.sessions) > square(split.between_runs) / mean_runs;
}

}  // namespace

Interval variance_difference_ci95(const VarianceEstimate& a, const VarianceEstimate& b) {
  const double difference = a.value - b.value;
  return {std::max(0.0, difference - distance_of_end(a, b, kTail)),
          std::max(0.0, difference + distance_of_end(a, b, 1 - kTail))};
}

std::optional<VarianceSplit> split_variance(std::span<const std::vector<SplitRun>> sessions) {
  const SplitLevels levels = split_levels_of(sessions);
  if (levels.runs.degrees < 2 || !(levels.steps.degrees > 0)) return std::nullopt;
  VarianceSplit split{.between_runs = std::sqrt(levels.runs.value),
                      .steps = std::sqrt(levels.steps.value),
                      .beyond_steps = root_of_difference(levels.runs.value, levels.steps.value)};
  split.beyond_steps_ci95 = root_of(variance_difference_ci95(levels.runs, levels.steps));
  set_sessions(split, levels);
  return split;
}

Advice advise_replication(const VarianceSplit& split, const RunCost& cost,
                          double mean_runs_per_session, std::size_t sessions) {
  if (sessions_rule(split, mean_runs_per_session, sessions))
    return {.buy = ReplicationLevel::kSessions};
  if (!(cost.window_s > 0)) return {};
  const auto saved_with = [&](double beyond_steps, double growth) {
    return saved_share(split.steps, beyond_steps, cost, growth);
  };
  const double longest = best_growth(split.steps, split.beyond_steps_ci95.low, cost);
  if (saved_with(split.beyond_steps_ci95.low, longest) < kWorthSaving) {
    return {.buy = ReplicationLevel::kRuns};
  }
  const double growth = best_growth(split.steps, split.beyond_steps_ci95.high, cost);
  const double saved = saved_with(split.beyond_steps, growth);
  if (saved < kWorthSaving) return {};
  return {.buy = ReplicationLevel::kWindows, .window_growth = growth, .saved_share = saved};
}

namespace {

// The half-width in ln divided by the standard deviation of one repetition. A relative half-width h
// is asinh(h) in ln, since exp(x) - exp(-x) = 2 sinh(x).
double half_width_by_spread(std::size_t repetitions) {
  const auto n = static_cast<double>(repetitions);
  return students_t_quantile(0.975, n - 1) / std::sqrt(n);
}

double variance_with_windows(const StopQuantity& quantity, double window_s) {
  const double spread =
      std::asinh(*quantity.half_width) / half_width_by_spread(quantity.repetitions);
  double of_steps = 0, of_longer = 0;
  for (const auto& [variance, today_s] : quantity.steps) {
    of_steps += variance;
    of_longer += variance * today_s / std::max(today_s, window_s);
  }
  // By chance the runs may differ by less than their steps alone make them.
  return std::max(spread * spread - of_steps, 0.0) + of_longer;
}

}  // namespace

bool known_well_enough(const StopQuantity& quantity, double half_width) {
  return quantity.repetitions >= kRepetitionsBeforeLooking && quantity.half_width &&
         *quantity.half_width <= half_width;
}

std::optional<std::size_t> repetitions_needed(const StopQuantity& quantity, double half_width,
                                              double window_s) {
  if (!quantity.half_width || quantity.repetitions < 2) return std::nullopt;
  const double wanted =
      std::asinh(half_width) / std::sqrt(variance_with_windows(quantity, window_s));
  if (half_width_by_spread(kMostRepetitions) > wanted) return std::nullopt;
  std::size_t low = kRepetitionsBeforeLooking, high = kMostRepetitions;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (half_width_by_spread(middle) <= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace scalemark::statistics
