// A series of measured values in a few numbers. Knows nothing of what was measured.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::statistics {

inline constexpr std::int64_t kValuesForP95 = 200;
inline constexpr std::int64_t kValuesForP99 = 1000;

struct Summary {  // in the unit of the values
  std::int64_t n = 0;
  double mean = 0;
  std::optional<double> p50, min, max;  // absent where the values are means: summarise_means()
  std::optional<double> p95, p99;       // absent where too few values stand above them
  std::optional<double> stdev;          // of the sample (n - 1); absent for one value
};

// Throws bug() for an empty series: it has no mean.
Summary summarise(std::span<const double> values);

// Of values each of which is the mean of several: their number and mean. How far single values
// spread is not known, and the spread of means is another number.
Summary summarise_means(std::span<const double> means);

// Quantile of type 7 (Hyndman and Fan 1996; what numpy and R do by default): linear between the
// order statistics around (n - 1) p. `sorted` ascending and not empty, p in [0, 1].
double quantile_of_sorted(std::span<const double> sorted, double p);

double mean(std::span<const double> values);
double sum_of_squares(std::span<const double> values, double centre);

// Means of consecutive batches of `length`; a short tail is left out, not averaged.
std::vector<double> batch_means(std::span<const double> values, std::size_t length);

// Correlation of neighbours around the common mean; 0 for a constant series.
double lag1_correlation(std::span<const double> values);

}  // namespace scalemark::statistics
