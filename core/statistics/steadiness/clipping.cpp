#include "core/statistics/steadiness/clipping.h"

#include <algorithm>
#include <cmath>

namespace scalemark::statistics {
namespace {

constexpr double kMadToStandardDeviation = 1.4826;
constexpr double kClippedAt = 6;  // standard deviations

// In linear time: windows may hold 100,000 steps.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace

std::vector<double> clipped(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  const double centre = median(result);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - centre));
  const double most = kClippedAt * kMadToStandardDeviation * median(std::move(distances));
  if (most > 0) {
    for (double& value : result) value = std::clamp(value, centre - most, centre + most);
  }
  return result;
}

}  // namespace scalemark::statistics
