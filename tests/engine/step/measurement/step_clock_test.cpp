#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/device/device.h"
#include "engine/step/measurement/bucket_timer.h"

namespace scalemark::measurement {
namespace {

using enum Moment;

// Micro-step i of each step lasts milliseconds[i].
void one_step(StepClock& clock, std::initializer_list<int> milliseconds) {
  for (const int ms : milliseconds) {
    clock.mark(kStepBegin);
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    clock.mark(kForwardEnd);
    clock.mark(kBackwardEnd);
  }
  clock.mark(kStepEnd);
}

TEST(StepClock, TimesEachStepWithAllOfItsMicroSteps) {
  const auto device = device::make_cpu_device();
  StepClock clock(*device, 2, 1);
  one_step(clock, {2, 4});
  one_step(clock, {1, 1});
  clock.mark(kWindowEnd);
  const auto step_s = clock.step_s();
  ASSERT_EQ(step_s.size(), 2u);
  EXPECT_GE(step_s[0], 6e-3);
  EXPECT_GE(step_s[1], 2e-3);
}

TEST(StepClock, GivesTheMeanOfEachWholeGroup) {
  const auto device = device::make_cpu_device();
  StepClock clock(*device, 7, 3);
  for (int i = 0; i < 7; ++i) one_step(clock, {i < 3 ? 3 : 0});
  clock.mark(kWindowEnd);
  const auto step_s = clock.step_s();
  ASSERT_EQ(step_s.size(), 2u);  // the seventh step is no group
  EXPECT_GE(step_s[0], 3e-3);
}

TEST(StepClock, OfStepsThatRunAsAWhole) {
  const auto device = device::make_cpu_device();
  StepClock clock(*device, 4, 2);
  for (int i = 0; i < 4; ++i) clock.mark(kStepBegin);
  clock.mark(kWindowEnd);
  EXPECT_EQ(clock.step_s().size(), 2u);
}

TEST(StepClock, OfNoStepIsEmpty) {
  const auto device = device::make_cpu_device();
  EXPECT_TRUE(StepClock(*device, 5, 1).step_s().empty());
}

}  // namespace
}  // namespace scalemark::measurement
