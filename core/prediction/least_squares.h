// Least squares with no negative unknown, for a handful of unknowns. Knows nothing of what they
// mean.
#pragma once

#include <vector>

namespace scalemark::prediction {

// One equation: sum of coefficients[j] x[j] should be `target`.
struct Equation {
  std::vector<double> coefficients;
  double target = 0;
};

inline constexpr std::size_t kMostUnknowns = 8;

// The x >= 0 of least squared residuals. Exact: the solution of the constrained problem is the
// plain least-squares solution on the set of unknowns that are not 0, and every such set is tried,
// which is what at most kMostUnknowns unknowns allow. Throws bug() for no equation, unequal lengths
// or too many unknowns.
std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations);

// Sum of squared residuals at `x`.
double squared_error(const std::vector<Equation>& equations, const std::vector<double>& x);

}  // namespace scalemark::prediction
