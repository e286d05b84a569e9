#include "tests/core/prediction/measured_step.h"

#include <gtest/gtest.h>

#include <cmath>

namespace scalemark::prediction {
namespace {

// By hand: alpha 1 ms and beta 1 ns per byte, exactly; ranks 20 ms apart in what they compute.
TEST(SimulatedStep, ReproducesAPlantedOne) {
  MeasuredSteps planted;
  for (const double megabytes : {1.0, 4.0, 16.0}) {
    const double communication_s = 2 * (1e-3 + megabytes * 1e6 / 2 * 1e-9);
    planted.steps.push_back({.payload_bytes = megabytes * 1e6,
                             .step_s = 0.12 + communication_s,
                             .own_mean_of_step_max_s = 0.12,
                             .own_s = {0.1, 0.12},
                             .bucket_bytes = {megabytes * 1e6}});
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const SimulatedStep made = simulate_step(planted, i);
    EXPECT_NEAR(made.link.alpha_s, 1e-3, 1e-9);
    EXPECT_NEAR(made.relative_error, 0, 1e-9);
  }
}

// The error that docs/PREDICTION.md states for the measured steps.
TEST(SimulatedStep, ReproducesTheMeasuredMlpStep) {
  const auto all = read_measured_steps(SCALEMARK_SOURCE_DIR);
  ASSERT_FALSE(all.empty());
  for (const MeasuredSteps& measured : all) {
    bool seen = false;
    for (std::size_t i = 0; i < measured.steps.size(); ++i) {
      if (measured.steps[i].workload != "mlp") continue;
      seen = true;
      EXPECT_LT(std::abs(simulate_step(measured, i).relative_error), 0.05) << measured.cpu;
    }
    EXPECT_TRUE(seen);
  }
}

}  // namespace
}  // namespace scalemark::prediction
