// Sums over series of equal length.
#pragma once

#include <numeric>
#include <span>

namespace scalemark::statistics {

inline double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Multiplies each value with the one before it. There is at least one.
inline double sum_over_neighbours(std::span<const double> values) {
  return dot(values.first(values.size() - 1), values.subspan(1));
}

}  // namespace scalemark::statistics
