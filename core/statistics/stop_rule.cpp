#include "core/statistics/stop_rule.h"

#include <algorithm>
#include <cmath>

#include "core/statistics/mean_interval.h"

namespace scalemark::statistics {
namespace {

// Half-width in ln by the standard deviation of one repetition. exp(x) - exp(-x) = 2 sinh(x).
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
