#include "core/statistics/steadiness/pooled.h"

#include <algorithm>
#include <vector>

#include "core/statistics/mean_interval.h"
#include "core/statistics/steadiness/steady.h"
#include "core/statistics/steadiness/words.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
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

}  // namespace scalemark::statistics
