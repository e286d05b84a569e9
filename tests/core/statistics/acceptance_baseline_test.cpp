#include "core/statistics/acceptance_baseline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace scalemark::statistics {
namespace {

// The figures of this file are by numpy and scipy (oracle_test.py, baseline_of).
TEST(AcceptanceBaseline, ShowsItsSpreads) {
  const auto shown = baseline_of(std::vector<BootedPart>{
      {{0.010, 0.012}, {0.006, 0.004}}, {{0.000, 0.004}, {-0.004, -0.002}}, {{-0.01}, {-0.014}}});
  EXPECT_EQ(shown.boots, 2u);
  EXPECT_NEAR(*shown.between_starts, std::sqrt(14e-6 / 4), 1e-12);
  // Boots' means: .011 and .005, .002 and -.003, -.01 and -.014.
  const double boots = (18e-6 + 12.5e-6 + 8e-6) / 3;
  EXPECT_NEAR(*shown.between_boots, std::sqrt(boots - 3.5e-6 * (0.5 * 4 + 2) / 6), 1e-12);
  EXPECT_DOUBLE_EQ(shown.reference.between_boots, *shown.between_boots);
  EXPECT_DOUBLE_EQ(shown.reference.ln_value, 0.008);
}

TEST(AcceptanceBaseline, OneBootAndFewPartsWidenIt) {
  std::vector<BootedPart> parts(8, {{0.001, -0.001, 0.0}, {0.001, -0.001, 0.0}});
  const auto of_eight = baseline_of(parts).reference;
  EXPECT_EQ(of_eight.between_boots, 0);
  EXPECT_EQ(of_eight.standard_error, 0);
  parts.pop_back();
  const auto of_seven = baseline_of(parts).reference;
  EXPECT_NEAR(of_seven.standard_error, 0.00676787, 1e-8);  // they count as differing by 1 %
  for (BootedPart& part : parts) part.pop_back();
  const auto of_one_boot = baseline_of(parts);
  EXPECT_FALSE(of_one_boot.between_boots);
  EXPECT_EQ(of_one_boot.reference.between_boots, 0.005);
  EXPECT_NEAR(of_one_boot.reference.standard_error, std::hypot(0.00676787, 0.005), 1e-8);
}

// A reboot of one machine says nothing of the others.
TEST(AcceptanceBaseline, HasTheBootsThatMostPartsHave) {
  std::vector<BootedPart> parts(9, {{0.0, 0.001}});
  parts[3].push_back({0.02});
  EXPECT_EQ(baseline_of(parts).boots, 1u);
  EXPECT_NEAR(baseline_of(parts).reference.between_boots, 0.0137750, 1e-6);
}

// A part of a new fleet exactly at the limit: wrong on each side in at most about 1 %, where
// devices, starts and boots differ as they may.
TEST(AcceptanceBaseline, IsSeldomWrongAtTheLimit) {
  std::mt19937_64 bits(5);
  std::normal_distribution<double> normal;
  constexpr int kTrials = 3000;
  constexpr double kDevices = 0.01, kBoots = 0.003, kNoise = 0.0058;
  const double limit = std::log1p(-AcceptanceRule{}.tolerance);
  for (const int devices : {2, 4, 8, 64}) {
    int passed = 0, failed = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      const auto part = [&](double level, int boots) {
        BootedPart values;
        for (int boot = 0; boot < boots; ++boot) {
          const double own = level + kBoots * normal(bits);
          values.push_back({});
          for (int start = 0; start < 3; ++start) {
            values.back().push_back(own + kNoise * normal(bits));
          }
        }
        return values;
      };
      std::vector<BootedPart> measured;
      for (int i = 0; i < devices; ++i) measured.push_back(part(kDevices * normal(bits), 2));
      std::vector<AcceptancePart> fleet(8);
      for (AcceptancePart& one : fleet) one.values = part(0, 1)[0];
      fleet[0].values = part(0.5244 * kDevices + limit, 1)[0];
      const auto judgement = judge_class(fleet, {}, baseline_of(measured).reference);
      passed += judgement.parts[0].outcome == AcceptanceOutcome::kPass;
      failed += judgement.parts[0].outcome == AcceptanceOutcome::kFail;
    }
    EXPECT_LE(passed, kTrials * 0.015) << devices;
    EXPECT_LE(failed, kTrials * 0.015) << devices;
  }
}

}  // namespace
}  // namespace scalemark::statistics
