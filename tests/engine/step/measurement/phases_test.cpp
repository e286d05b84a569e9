#include <gtest/gtest.h>

#include "core/base/error.h"
#include "engine/step/measurement/window_timer.h"

namespace scalemark::measurement {
namespace {

using enum Moment;

TEST(SplitIntoPhases, OneStepWithCommunication) {
  const std::vector<Moment> moments{kStepBegin,    kBatchReady, kOnDevice,
                                    kForwardBegin, kForwardEnd, kLastBucketReady,
                                    kBackwardEnd,  kStepEnd,    kWindowEnd};
  const std::vector<double> seconds{0, 1, 3, 6, 10, 15, 21, 28, 36};
  const auto steps = split_into_phases(moments, seconds);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_DOUBLE_EQ(steps[0].data_wait, 1);
  EXPECT_DOUBLE_EQ(steps[0].host_to_device, 2);
  EXPECT_DOUBLE_EQ(steps[0].forward, 4);
  EXPECT_DOUBLE_EQ(steps[0].backward, 5);
  EXPECT_DOUBLE_EQ(steps[0].exposed_communication, 3 + 6);  // buffer broadcast and the last bucket
  EXPECT_DOUBLE_EQ(steps[0].optimizer, 7);
  EXPECT_DOUBLE_EQ(steps[0].other, 8);
  EXPECT_DOUBLE_EQ(steps[0].sum(), 36);
}

TEST(SplitIntoPhases, MicroStepsAddUpAndTheGapBetweenThemIsNotTheOptimizer) {
  const std::vector<Moment> moments{
      kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd, kBackwardEnd,  //
      kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd, kBackwardEnd, kStepEnd,
      kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd, kBackwardEnd,  //
      kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd, kBackwardEnd, kStepEnd,
      kWindowEnd};
  std::vector<double> seconds(moments.size());
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = static_cast<double>(i);
  const auto steps = split_into_phases(moments, seconds);
  ASSERT_EQ(steps.size(), 2u);
  for (const auto& step : steps) {
    EXPECT_DOUBLE_EQ(step.forward, 2);
    EXPECT_DOUBLE_EQ(step.optimizer, 1);
    EXPECT_DOUBLE_EQ(step.other, 2);  // it lies between micro-steps and after the optimizer
    EXPECT_DOUBLE_EQ(step.sum(), 13);
  }
}

TEST(SplitIntoPhases, WhatFollowsTheUpdateIsExposedCommunicationAndNotTheOptimizer) {
  const std::vector<Moment> moments{kStepBegin,    kBatchReady, kOnDevice,
                                    kForwardBegin, kForwardEnd, kBackwardEnd,
                                    kUpdateEnd,    kStepEnd,    kWindowEnd};
  const std::vector<double> seconds{0, 1, 2, 2, 4, 6, 9, 16, 17};
  const auto steps = split_into_phases(moments, seconds);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_DOUBLE_EQ(steps[0].optimizer, 3);
  EXPECT_DOUBLE_EQ(steps[0].exposed_communication, 7);
  EXPECT_DOUBLE_EQ(steps[0].other, 1);
}

TEST(SplitIntoSteps, StepsThatRunAsAWholeHaveALengthAndNoPhases) {
  const auto steps = split_into_steps(std::vector{kStepBegin, kStepBegin, kStepBegin, kWindowEnd},
                                      std::vector<double>{1, 3, 4, 8});
  EXPECT_EQ(steps.step_s, (std::vector<double>{2, 1, 4}));
  EXPECT_TRUE(steps.phases.empty());
}

TEST(SplitIntoSteps, StepsMarkedInsideHaveTheLengthOfTheirPhases) {
  const std::vector<Moment> moments{kStepBegin,  kBatchReady,  kOnDevice, kForwardBegin,
                                    kForwardEnd, kBackwardEnd, kStepEnd,  kWindowEnd};
  const auto steps = split_into_steps(moments, std::vector<double>{0, 1, 2, 3, 4, 5, 6, 9});
  ASSERT_EQ(steps.phases.size(), 1u);
  EXPECT_EQ(steps.step_s, std::vector<double>{9});
}

TEST(SplitIntoSteps, RefusesAWindowThatHoldsBoth) {
  const std::vector<Moment> moments{kStepBegin,   kStepBegin,    kBatchReady,
                                    kOnDevice,    kForwardBegin, kForwardEnd,
                                    kBackwardEnd, kStepEnd,      kWindowEnd};
  EXPECT_THROW(split_into_steps(moments, std::vector<double>(moments.size(), 1.0)), Error);
}

TEST(MeanOwn, IsTheStepWithoutExposedCommunication) {
  EXPECT_FALSE(mean_own_s({.step_s = {2, 1}}));
  const Phases first{.forward = 2, .backward = 1, .exposed_communication = 4};
  const Phases second{.data_wait = 1, .forward = 3, .exposed_communication = 1};
  EXPECT_EQ(mean_own_s({.step_s = {7, 5}, .phases = {first, second}}), 3.5);
}

TEST(SplitIntoPhases, RefusesAnOpenWindow) {
  EXPECT_THROW(split_into_phases(std::vector{kStepBegin, kBatchReady}, std::vector<double>{0, 1}),
               Error);
}

}  // namespace
}  // namespace scalemark::measurement
