#include "core/prediction/least_squares.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

TEST(NonNegativeLeastSquares, PlainSolutionWhenItIsPositive) {
  const auto x = non_negative_least_squares({{{1, 0}, 2}, {{0, 1}, 3}, {{1, 1}, 6}});
  EXPECT_NEAR(x[0], 7.0 / 3, 1e-12);
  EXPECT_NEAR(x[1], 10.0 / 3, 1e-12);
}

// Unconstrained it would be (3, -1); on the border the best first unknown is (2 + 1) / 2.
TEST(NonNegativeLeastSquares, StaysOnTheBorder) {
  const auto x = non_negative_least_squares({{{1, 1}, 2}, {{1, 2}, 1}});
  EXPECT_NEAR(x[0], 1.5, 1e-12);
  EXPECT_EQ(x[1], 0);
}

TEST(NonNegativeLeastSquares, AllZeroWhenEverythingPullsBelow) {
  EXPECT_EQ(non_negative_least_squares({{{1, 2}, -1}}), (std::vector<double>{0, 0}));
}

// Karush-Kuhn-Tucker: at the optimum no step that stays allowed goes down.
TEST(NonNegativeLeastSquares, NoAllowedStepImproves) {
  std::mt19937 random(7);
  std::normal_distribution<double> draw;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<Equation> equations(6);
    for (Equation& equation : equations) {
      equation.target = draw(random);
      for (int j = 0; j < 4; ++j) equation.coefficients.push_back(draw(random));
    }
    const auto x = non_negative_least_squares(equations);
    for (std::size_t j = 0; j < x.size(); ++j) {
      double slope = 0;
      for (const Equation& equation : equations) {
        double residual = -equation.target;
        for (std::size_t k = 0; k < x.size(); ++k) residual += equation.coefficients[k] * x[k];
        slope += residual * equation.coefficients[j];
      }
      EXPECT_GE(x[j], 0);
      if (x[j] > 0) {
        EXPECT_NEAR(slope, 0, 1e-9);
      } else {
        EXPECT_GE(slope, -1e-9);
      }
    }
  }
}

TEST(NonNegativeLeastSquares, RefusesNonsense) {
  EXPECT_THROW(non_negative_least_squares({}), Error);
  EXPECT_THROW(non_negative_least_squares({{{1, 2}, 1}, {{1}, 1}}), Error);
  EXPECT_THROW(non_negative_least_squares({{std::vector<double>(9, 1.0), 1}}), Error);
}

}  // namespace
}  // namespace scalemark::prediction
