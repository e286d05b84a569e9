#include "core/statistics/acceptance_basis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace scalemark::statistics {
namespace {

TEST(ReferenceOfFleet, IsReachedBy30Percent) {
  std::vector<double> values;
  std::vector<double> references;
  for (int i = 1; i <= 21; ++i) {
    values.push_back(i);
    references.push_back(reference_of_fleet(values, 0).ln_value);
  }
  // With 1, 2, 3 ... values it is the 1st, 1st, 1st, 2nd, 2nd, 2nd, 3rd, 3rd, 3rd, 3rd, 4th ...
  // highest.
  EXPECT_EQ(references, (std::vector<double>{1, 2,  3,  3,  4,  5,  5,  6,  7,  8, 8,
                                             9, 10, 10, 11, 12, 12, 13, 14, 15, 15}));
}

// The figures are by numpy and scipy (oracle_test.py, fleet_reference).
TEST(ReferenceOfFleet, KnowsItsErrorAndWhatNoiseLiftsItBy) {
  const auto reference =
      reference_of_fleet(std::vector<double>{0.002, 0.004, -0.001, -0.1}, std::sqrt(5.25e-6 / 3));
  EXPECT_NEAR(reference.standard_error, 0.0013228756555, 1e-12);  // a single value has the same
  EXPECT_NEAR(reference.lifted_by, 0.0002475923101, 1e-12);
}

// Simulated: 64 parts with values of their own and with none.
TEST(ReferenceOfFleet, StandsForHowFarNoiseMovesIt) {
  std::mt19937_64 bits(11);
  std::normal_distribution<double> normal;
  constexpr int kTrials = 4000;
  for (const double spread : {0.0, 2.0}) {
    std::vector<double> truth(64);
    for (double& value : truth) value = spread * normal(bits);
    const double exact = reference_of_fleet(truth, 0).ln_value;
    double moved = 0, squares = 0, error = 0, lifted = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> measured = truth;
      for (double& value : measured) value += normal(bits);
      const auto reference = reference_of_fleet(measured, 1);
      moved += (reference.ln_value - exact) / kTrials;
      squares += (reference.ln_value - exact) * (reference.ln_value - exact) / kTrials;
      error += reference.standard_error / kTrials;
      lifted += reference.lifted_by / kTrials;
    }
    EXPECT_LT(moved, 1.1 * lifted + 0.1);
    EXPECT_NEAR(std::sqrt(squares - moved * moved), error, 0.35 * error);
  }
}

using Fleet = std::vector<std::vector<double>>;

std::vector<Repetitions> repetitions_of(const Fleet& fleet) { return {fleet.begin(), fleet.end()}; }

// Variances that differ as those of a prior with 4 degrees do, and such as chance alone makes.
TEST(PriorDegrees, ShowHowAlikeTheNoiseOfPartsIs) {
  std::mt19937_64 bits(5);
  std::chi_squared_distribution<double> own(2), prior(4);
  std::vector<double> differing, alike;
  for (int part = 0; part < 20000; ++part) {
    alike.push_back(own(bits) / 2);
    differing.push_back(own(bits) / 2 / (prior(bits) / 4));
  }
  EXPECT_NEAR(prior_degrees(differing, 2), 4, 0.8);
  EXPECT_GT(prior_degrees(alike, 2), 50);
  EXPECT_TRUE(std::isinf(prior_degrees(std::vector<double>(8, 1.0), 2)));
  EXPECT_TRUE(std::isinf(prior_degrees(std::vector<double>(8, 0.0), 2)));
}

TEST(CorrelationOfStarts, IsSeenBetweenNeighboursAndNotInSteps) {
  std::mt19937_64 bits(7);
  std::normal_distribution<double> normal;
  Fleet independent, correlated, shifted, halved;
  for (int part = 0; part < 512; ++part) {
    std::vector<double> own, like_before;
    double last = normal(bits);
    for (int k = 0; k < 3; ++k) {
      own.push_back(normal(bits));
      last = 0.8 * last + 0.6 * normal(bits);
      like_before.push_back(last);
    }
    independent.push_back(own);
    correlated.push_back(like_before);
    shifted.push_back({own[0], own[1] + 5, own[2] + 10});  // a drift that all have in common
    halved.push_back({own[0] - (part % 2) * 5, own[1], own[2]});
  }
  for (const Fleet* fleet : {&independent, &shifted, &halved}) {
    EXPECT_EQ(correlation_of_starts(repetitions_of(*fleet), 3), 0);
  }
  EXPECT_NEAR(correlation_of_starts(repetitions_of(correlated), 3), 0.8, 0.2);
}

}  // namespace
}  // namespace scalemark::statistics
