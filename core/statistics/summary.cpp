#include "core/statistics/summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"

namespace scalemark::statistics {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sum_of_squares(std::span<const double> values, double centre) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [=](double sum, double v) { return sum + (v - centre) * (v - centre); });
}

std::vector<double> batch_means(std::span<const double> values, std::size_t length) {
  std::vector<double> means;
  for (; values.size() >= length; values = values.subspan(length)) {
    means.push_back(mean(values.first(length)));
  }
  return means;
}

double lag1_correlation(std::span<const double> values) {
  const double centre = mean(values);
  const double spread = sum_of_squares(values, centre);
  if (spread == 0) return 0;
  double together = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    together += (values[i - 1] - centre) * (values[i] - centre);
  }
  return together / spread;
}

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - std::floor(position));
}

Summary summarise_means(std::span<const double> means) {
  if (means.empty()) throw bug("summarise_means() was given an empty series");
  return {.n = static_cast<std::int64_t>(means.size()), .mean = mean(means)};
}

Summary summarise(std::span<const double> values) {
  if (values.empty()) throw bug("summarise() was given an empty series");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());

  Summary summary;
  summary.n = static_cast<std::int64_t>(values.size());
  summary.mean = mean(values);
  summary.p50 = quantile_of_sorted(sorted, 0.5);
  summary.min = sorted.front();
  summary.max = sorted.back();
  if (summary.n >= kValuesForP95) summary.p95 = quantile_of_sorted(sorted, 0.95);
  if (summary.n >= kValuesForP99) summary.p99 = quantile_of_sorted(sorted, 0.99);
  if (summary.n >= 2) {
    summary.stdev =
        std::sqrt(sum_of_squares(values, summary.mean) / static_cast<double>(summary.n - 1));
  }
  return summary;
}

}  // namespace scalemark::statistics
