#include <gtest/gtest.h>

#include "core/base/error.h"
#include "engine/step/train_step.h"

namespace scalemark::training {
namespace {

LrSchedule schedule(const char* kind, std::int64_t warmup, std::int64_t total) {
  return {.kind = kind, .rate = 0.8, .warmup_steps = warmup, .total_steps = total};
}

TEST(LrSchedule, WarmsUpInEqualStepsToTheFullRate) {
  const auto constant = schedule("constant", 4, 0);
  EXPECT_DOUBLE_EQ(learning_rate_at(constant, 0), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate_at(constant, 2), 0.6);
  EXPECT_DOUBLE_EQ(learning_rate_at(constant, 3), 0.8);
  EXPECT_DOUBLE_EQ(learning_rate_at(constant, 1000), 0.8);
}

TEST(LrSchedule, CosineIsHalfWayInTheMiddleAndEndsAtZero) {
  const auto cosine = schedule("cosine", 10, 110);
  EXPECT_DOUBLE_EQ(learning_rate_at(cosine, 10), 0.8);
  EXPECT_NEAR(learning_rate_at(cosine, 60), 0.4, 1e-15);
  EXPECT_NEAR(learning_rate_at(cosine, 110), 0, 1e-15);
  EXPECT_NEAR(learning_rate_at(cosine, 500), 0, 1e-15);  // holds, does not rise again
}

TEST(LrSchedule, StepsAtThreeSixAndEightNinths) {
  const auto step = schedule("step", 0, 90);
  EXPECT_DOUBLE_EQ(learning_rate_at(step, 29), 0.8);
  EXPECT_NEAR(learning_rate_at(step, 30), 0.08, 1e-15);
  EXPECT_NEAR(learning_rate_at(step, 60), 0.008, 1e-15);
  EXPECT_NEAR(learning_rate_at(step, 80), 0.0008, 1e-15);
}

TEST(LrSchedule, LinearPolynomialAndCyclicAtKnownSteps) {
  EXPECT_NEAR(learning_rate_at(schedule("linear", 0, 10), 5), 0.4, 1e-15);
  EXPECT_NEAR(learning_rate_at(schedule("polynomial", 0, 10), 5), 0.2, 1e-15);
  const auto cyclic = schedule("cyclic", 0, 80);  // 10 steps up, 10 down
  EXPECT_NEAR(learning_rate_at(cyclic, 0), 0.2, 1e-15);
  EXPECT_NEAR(learning_rate_at(cyclic, 10), 0.8, 1e-15);
  EXPECT_NEAR(learning_rate_at(cyclic, 15), 0.5, 1e-15);
  EXPECT_NEAR(learning_rate_at(cyclic, 20), 0.2, 1e-15);
}

TEST(LrSchedule, RefusesWhatMakesNoSense) {
  EXPECT_THROW(validate(schedule("sawtooth", 0, 10)), Error);
  EXPECT_THROW(validate(schedule("cosine", 11, 10)), Error);
  EXPECT_THROW(validate(schedule("cosine", -1, 10)), Error);
  EXPECT_NO_THROW(validate(schedule("constant", 11, 10)));
}

}  // namespace
}  // namespace scalemark::training
