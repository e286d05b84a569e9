#include "core/prediction/least_squares.h"

#include <Eigen/QR>
#include <limits>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

// Plain least squares on the unknowns whose bit is set; the others are 0.
std::vector<double> solve_on(const std::vector<Equation>& equations, unsigned subset,
                             std::size_t unknowns) {
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < unknowns; ++j) {
    if (subset >> j & 1u) chosen.push_back(j);
  }
  Eigen::MatrixXd matrix(equations.size(), chosen.size());
  Eigen::VectorXd target(equations.size());
  for (std::size_t i = 0; i < equations.size(); ++i) {
    target(i) = equations[i].target;
    for (std::size_t j = 0; j < chosen.size(); ++j) {
      matrix(i, j) = equations[i].coefficients[chosen[j]];
    }
  }
  const Eigen::VectorXd solution = matrix.colPivHouseholderQr().solve(target);
  std::vector<double> x(unknowns, 0.0);
  for (std::size_t j = 0; j < chosen.size(); ++j) x[chosen[j]] = solution(j);
  return x;
}

bool any_negative(const std::vector<double>& x) {
  for (const double value : x) {
    if (value < 0) return true;
  }
  return false;
}

}  // namespace

double squared_error(const std::vector<Equation>& equations, const std::vector<double>& x) {
  double sum = 0;
  for (const Equation& equation : equations) {
    double residual = -equation.target;
    for (std::size_t j = 0; j < x.size(); ++j) residual += equation.coefficients[j] * x[j];
    sum += residual * residual;
  }
  return sum;
}

std::vector<double> non_negative_least_squares(const std::vector<Equation>& equations) {
  if (equations.empty()) throw bug("least squares without an equation");
  const std::size_t unknowns = equations[0].coefficients.size();
  if (unknowns == 0 || unknowns > kMostUnknowns) throw bug("least squares of too many unknowns");
  for (const Equation& equation : equations) {
    if (equation.coefficients.size() != unknowns) throw bug("equations of unequal length");
  }
  std::vector<double> best(unknowns, 0.0);
  double least = squared_error(equations, best);
  for (unsigned subset = 1; subset < 1u << unknowns; ++subset) {
    std::vector<double> x = solve_on(equations, subset, unknowns);
    if (any_negative(x)) continue;
    const double error = squared_error(equations, x);
    if (error < least) {
      least = error;
      best = std::move(x);
    }
  }
  return best;
}

}  // namespace scalemark::prediction
