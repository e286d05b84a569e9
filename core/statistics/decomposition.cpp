#include "core/statistics/decomposition.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.h"

namespace scalemark::statistics {
namespace {

void add(LossTerms& total, const LossTerms& terms, double factor) {
  total.slower_compute += factor * terms.slower_compute;
  total.data_wait += factor * terms.data_wait;
  total.persistent_imbalance += factor * terms.persistent_imbalance;
  if (terms.jitter) total.jitter = total.jitter.value_or(0) + factor * *terms.jitter;
  total.communication += factor * terms.communication;
}

// The same terms of every pair: what one run did not time is left out of all.
std::vector<StepTimesPair> alike(std::span<const StepTimesPair> pairs) {
  std::vector<StepTimesPair> result(pairs.begin(), pairs.end());
  const auto timed = [](const StepTimesPair& pair) {
    return pair.scaled.own_mean_of_step_max_s.has_value();
  };
  if (std::ranges::all_of(result, timed)) return result;
  for (StepTimesPair& pair : result) pair.scaled.own_mean_of_step_max_s.reset();
  return result;
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

LossTerms loss_terms(const StepTimesPair& pair, Scaling scaling, double ranks_ratio) {
  const StepTimes& n = pair.scaled;
  const double ideal_s = ideal_step_s(pair.baseline, scaling, ranks_ratio);
  const double ideal_wait_s = pair.baseline.data_wait_s / divisor(scaling, ranks_ratio);
  const double busy_s = n.own_mean_of_step_max_s.value_or(n.own_max_of_rank_means_s);
  return {.slower_compute = (n.own_mean_s - n.data_wait_s) - (ideal_s - ideal_wait_s),
          .data_wait = n.data_wait_s - ideal_wait_s,
          .persistent_imbalance = n.own_max_of_rank_means_s - n.own_mean_s,
          .jitter = n.own_mean_of_step_max_s ? std::optional(busy_s - n.own_max_of_rank_means_s)
                                             : std::nullopt,
          .communication = n.step_s - busy_s};
}

LossTerms shares_of_lost_efficiency(std::span<const StepTimesPair> pairs, Scaling scaling,
                                    double ranks_ratio) {
  if (pairs.empty()) throw bug("shares_of_lost_efficiency() was given no pair");
  const auto blocks = static_cast<double>(pairs.size());
  LossTerms shares;
  double lost = 0;  // -ln E
  for (const StepTimesPair& pair : alike(pairs)) {
    const double ideal_s = ideal_step_s(pair.baseline, scaling, ranks_ratio);
    if (!(ideal_s > 0) || !(pair.scaled.step_s > 0)) throw bug("a step took no time");
    const double between = logarithmic_mean(pair.scaled.step_s, ideal_s);
    add(shares, loss_terms(pair, scaling, ranks_ratio), 1 / between / blocks);
    lost += (pair.scaled.step_s - ideal_s) / between / blocks;
  }
  LossTerms scaled;
  add(scaled, shares, share_of_logarithm(lost));
  return scaled;
}

double logarithmic_mean(double a, double b) {
  const double excess = (a - b) / b;
  return excess == 0 ? b : b * excess / std::log1p(excess);
}

}  // namespace scalemark::statistics
