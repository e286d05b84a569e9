#include "core/statistics/efficiency.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

std::vector<double> log_ratios(std::span<const ThroughputPair> pairs) {
  std::vector<double> ratios;
  for (const ThroughputPair& pair : pairs) {
    const auto logs = logarithms(std::vector{pair.scaled, pair.baseline});
    ratios.push_back(logs[0] - logs[1]);
  }
  return ratios;
}

}  // namespace

Efficiency paired_efficiency(std::span<const ThroughputPair> pairs, int ranks, int baseline_ranks) {
  if (pairs.empty() || ranks < 1 || baseline_ranks < 1) {
    throw bug("paired_efficiency() needs a pair and ranks from 1 on");
  }
  const std::vector<double> ratios = log_ratios(pairs);
  const double ideal = static_cast<double>(ranks) / baseline_ranks;

  Efficiency result{.pairs = pairs.size(), .speedup = std::exp(mean(ratios))};
  result.efficiency = result.speedup / ideal;
  if (const auto interval = mean_interval(ratios)) {
    result.speedup_ci95 = exponential(*interval);
    result.efficiency_ci95 =
        Interval{result.speedup_ci95->low / ideal, result.speedup_ci95->high / ideal};
  }
  return result;
}

namespace {

void add(LossTerms& total, const LossTerms& terms, double factor) {
  total.slower_compute += factor * terms.slower_compute;
  total.data_wait += factor * terms.data_wait;
  total.persistent_imbalance += factor * terms.persistent_imbalance;
  if (terms.run_imbalance) {
    total.run_imbalance = total.run_imbalance.value_or(0) + factor * *terms.run_imbalance;
  }
  if (terms.jitter) total.jitter = total.jitter.value_or(0) + factor * *terms.jitter;
  total.communication += factor * terms.communication;
}

// Gives every pair the same terms: what one run did not time is left out of all.
std::vector<StepTimesPair> alike(std::span<const StepTimesPair> pairs) {
  std::vector<StepTimesPair> result(pairs.begin(), pairs.end());
  const auto timed = [](const StepTimesPair& pair) {
    return pair.scaled.own_mean_of_step_max_s.has_value();
  };
  if (std::ranges::all_of(result, timed)) return result;
  for (StepTimesPair& pair : result) pair.scaled.own_mean_of_step_max_s.reset();
  return result;
}

// T_N,k - T_ideal,k per unit of ln (T_N,k / T_ideal,k).
double scale_of(const StepTimesPair& pair, Scaling scaling, double ranks_ratio) {
  const double ideal_s = ideal_step_s(pair.baseline, scaling, ranks_ratio);
  if (!(ideal_s > 0) || !(pair.scaled.step_s > 0)) throw bug("a step took no time");
  return logarithmic_mean(pair.scaled.step_s, ideal_s);
}

// The rank that is slowest over all blocks, own times being divided by scale_of() of their block;
// one block has none, nor have blocks whose ranks are not known.
std::optional<std::size_t> slowest_rank(std::span<const StepTimesPair> pairs, Scaling scaling,
                                        double ranks_ratio) {
  const std::size_t ranks = pairs.front().scaled.own_of_ranks_s.size();
  if (pairs.size() < 2 || ranks == 0) return std::nullopt;
  std::vector<double> above(ranks, 0.0);
  for (const StepTimesPair& pair : pairs) {
    if (pair.scaled.own_of_ranks_s.size() != ranks) return std::nullopt;
    const double scale = scale_of(pair, scaling, ranks_ratio);
    for (std::size_t r = 0; r < ranks; ++r) above[r] += pair.scaled.own_of_ranks_s[r] / scale;
  }
  return static_cast<std::size_t>(std::ranges::max_element(above) - above.begin());
}

double divisor(Scaling scaling, double ranks_ratio) {
  return scaling == Scaling::kWeak ? 1 : ranks_ratio;
}

// (1 - E) / (-ln E) for E = exp(-lost); 1 where nothing is lost.
double share_of_logarithm(double lost) { return lost == 0 ? 1 : -std::expm1(-lost) / lost; }

}  // namespace

double ideal_step_s(const StepTimes& baseline, Scaling scaling, double ranks_ratio) {
  return baseline.step_s / divisor(scaling, ranks_ratio);
}

LossTerms loss_terms(const StepTimesPair& pair, Scaling scaling, double ranks_ratio,
                     std::optional<std::size_t> slowest) {
  const StepTimes& n = pair.scaled;
  const double ideal_s = ideal_step_s(pair.baseline, scaling, ranks_ratio);
  const double ideal_wait_s = pair.baseline.data_wait_s / divisor(scaling, ranks_ratio);
  const double busy_s = n.own_mean_of_step_max_s.value_or(n.own_max_of_rank_means_s);
  const double slow_s = slowest ? n.own_of_ranks_s.at(*slowest) : n.own_max_of_rank_means_s;
  return {
      .slower_compute = (n.own_mean_s - n.data_wait_s) - (ideal_s - ideal_wait_s),
      .data_wait = n.data_wait_s - ideal_wait_s,
      .persistent_imbalance = slow_s - n.own_mean_s,
      .run_imbalance = slowest ? std::optional(n.own_max_of_rank_means_s - slow_s) : std::nullopt,
      .jitter = n.own_mean_of_step_max_s ? std::optional(busy_s - n.own_max_of_rank_means_s)
                                         : std::nullopt,
      .communication = n.step_s - busy_s};
}

std::vector<LossTerms> shares_by_block(std::span<const StepTimesPair> pairs, Scaling scaling,
                                       double ranks_ratio) {
  if (pairs.empty()) throw bug("shares of lost efficiency were asked for without a pair");
  const auto slowest = slowest_rank(pairs, scaling, ranks_ratio);
  std::vector<LossTerms> blocks;
  double lost = 0;  // -ln E
  for (const StepTimesPair& pair : alike(pairs)) {
    const double scale = scale_of(pair, scaling, ranks_ratio);
    add(blocks.emplace_back(), loss_terms(pair, scaling, ranks_ratio, slowest), 1 / scale);
    const double ideal_s = ideal_step_s(pair.baseline, scaling, ranks_ratio);
    lost += (pair.scaled.step_s - ideal_s) / scale / static_cast<double>(pairs.size());
  }
  for (LossTerms& block : blocks) {
    LossTerms scaled;
    add(scaled, block, share_of_logarithm(lost));
    block = scaled;
  }
  return blocks;
}

LossTerms shares_of_lost_efficiency(std::span<const StepTimesPair> pairs, Scaling scaling,
                                    double ranks_ratio) {
  LossTerms shares;
  for (const LossTerms& block : shares_by_block(pairs, scaling, ranks_ratio)) {
    add(shares, block, 1 / static_cast<double>(pairs.size()));
  }
  return shares;
}

std::optional<LossIntervals> loss_intervals(std::span<const LossTerms> by_block) {
  if (by_block.size() < 2) return std::nullopt;
  const auto interval = [&](auto share) -> Bounds {
    std::vector<double> values;
    for (const LossTerms& block : by_block) {
      const std::optional<double> value = block.*share;
      if (!value) return {};
      values.push_back(*value);
    }
    return bounds_of(mean_interval(values));
  };
  return LossIntervals{.slower_compute = interval(&LossTerms::slower_compute),
                       .data_wait = interval(&LossTerms::data_wait),
                       .persistent_imbalance = interval(&LossTerms::persistent_imbalance),
                       .run_imbalance = interval(&LossTerms::run_imbalance),
                       .jitter = interval(&LossTerms::jitter),
                       .communication = interval(&LossTerms::communication)};
}

double logarithmic_mean(double a, double b) {
  const double excess = (a - b) / b;
  return excess == 0 ? b : b * excess / std::log1p(excess);
}

std::optional<std::int64_t> break_even_steps(const Startup& baseline, const Startup& parallel,
                                             double step_s) {
  const double speedup = parallel.samples_per_sec / baseline.samples_per_sec;
  if (!(speedup > 1)) return std::nullopt;
  const double later_s = parallel.setup_s - baseline.setup_s;
  const double gained_s = step_s * (speedup - 1);  // per parallel step
  const double steps = std::ceil(later_s / gained_s);
  if (!(steps > 0)) return 0;
  if (!(steps < 9e15)) return std::nullopt;  // beyond any run, and beyond what a double counts
  return static_cast<std::int64_t>(steps);
}

}  // namespace scalemark::statistics
