#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "core/base/error.h"
#include "engine/device/device.h"
#include "engine/step/measurement/window_timer.h"

namespace scalemark::measurement {
namespace {

using enum Moment;

// Nine events of 1.5 us each are 13.5 us: 1 % of 1.35 ms.
TEST(StepsPerMark, IsOneWhereMarksCostAHundredthAtMost) {
  EXPECT_EQ(steps_per_mark(60e-3, 100, 1), 1);
  EXPECT_EQ(steps_per_mark(2e-3, 1100, 1), 1);
  EXPECT_EQ(steps_per_mark(1.36e-3, 1600, 1), 1);
}

TEST(StepsPerMark, GrowsAsStepsBecomeShort) {
  EXPECT_EQ(steps_per_mark(1.34e-3, 1600, 1), 2);
  EXPECT_EQ(steps_per_mark(0.5e-3, 3000, 1), 3);
  EXPECT_EQ(steps_per_mark(60e-6, 23 * 100, 1), 23);  // 22.5
}

TEST(StepsPerMark, CountsTheMarksOfEveryMicroStep) {
  EXPECT_EQ(steps_per_mark(2e-3 * 8, 500, 8), 1);        // 65 events, 97.5 us
  EXPECT_EQ(steps_per_mark(60e-6 * 8, 21 * 10, 8), 21);  // 20.3
}

TEST(StepsPerMark, KeepsAWindowOfTenMinutesWithinAHundredThousandEvents) {
  const std::int64_t steps = 11'000'000;
  const std::int64_t k = steps_per_mark(60e-6, steps, 1);
  EXPECT_EQ(k, 990);
  EXPECT_LE(events_of(steps / k, 1), kMostEvents + 9);
}

TEST(StepsPerMark, FollowsTheNumberOfEventsAloneWhereTheStepIsUnknown) {
  EXPECT_EQ(steps_per_mark(0, 1000, 1), 1);
  EXPECT_EQ(steps_per_mark(0, 100'000, 1), 9);
}

// 100 steps with 23 at a time are four groups: of 25, so that no step is left over.
TEST(StepsPerMark, ReachesTheWindowsEndAsNearlyAsWholeGroupsCan) {
  EXPECT_EQ(steps_per_mark(60e-6, 100, 1), 25);
  EXPECT_EQ(steps_per_mark(60e-6, 101, 1), 25);
  EXPECT_EQ(steps_per_mark(60e-6, 20, 1), 20);
  EXPECT_EQ(steps_per_mark(60e-6, 1, 1), 1);
  EXPECT_EQ(steps_per_mark(60e-6, 0, 1), 1);
}

// Two groups of 4 steps: the first one takes 40 s, its marked step 5 s; the second 20 s and 8 s.
TEST(SplitThinned, DividesAGroupAsItsMarkedStepWas) {
  const std::vector<Moment> moments{kStepBegin,  kBatchReady,      kOnDevice,    kForwardBegin,
                                    kForwardEnd, kBackwardEnd,     kStepEnd,
                                    kWindowEnd,  //
                                    kStepBegin,  kBatchReady,      kOnDevice,    kForwardBegin,
                                    kForwardEnd, kLastBucketReady, kBackwardEnd, kStepEnd,
                                    kWindowEnd,  kWindowEnd};
  const std::vector<double> seconds{0,  1,  1,  1,  3,  4,  5,  5,  //
                                    40, 40, 40, 40, 42, 43, 45, 46, 48, 60};
  const auto groups = split_thinned(moments, seconds, 4).phases;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_DOUBLE_EQ(groups[0].sum(), 10);
  EXPECT_DOUBLE_EQ(groups[0].data_wait, 2);
  EXPECT_DOUBLE_EQ(groups[0].forward, 4);
  EXPECT_DOUBLE_EQ(groups[0].backward, 2);
  EXPECT_DOUBLE_EQ(groups[0].optimizer, 2);
  EXPECT_DOUBLE_EQ(groups[1].sum(), 5);
  EXPECT_DOUBLE_EQ(groups[1].exposed_communication, 2 * 5 / 8.0);
  EXPECT_DOUBLE_EQ(groups[1].other, 2 * 5 / 8.0);
}

TEST(SplitThinned, LeavesOutAGroupThatIsNotClosedAndRefusesAStepThatIsNot) {
  EXPECT_TRUE(split_thinned({}, {}, 4).step_s.empty());
  const std::array open{kStepBegin, kBatchReady, kStepEnd, kWindowEnd};
  EXPECT_TRUE(split_thinned(open, std::array{0.0, 1.0, 2.0, 3.0}, 4).step_s.empty());
  const std::array two{kStepBegin, kStepEnd, kStepBegin, kStepEnd, kWindowEnd, kWindowEnd};
  EXPECT_THROW(split_thinned(two, std::array{0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, 4), Error);
}

void one_step(StepMarker& marker, int micro_steps) {
  for (int i = 0; i < micro_steps; ++i) {
    for (const Moment moment :
         {kStepBegin, kBatchReady, kOnDevice, kForwardBegin, kForwardEnd, kBackwardEnd}) {
      marker.mark(moment);
    }
  }
  marker.mark(kStepEnd);
}

std::size_t groups_after(std::int64_t planned, std::int64_t run, std::int64_t k, int micro_steps) {
  const auto device = device::make_cpu_device();
  const auto marks = make_window_marks(*device, planned, micro_steps, k);
  for (std::int64_t i = 0; i < run; ++i) one_step(*marks, micro_steps);
  marks->mark(kWindowEnd);
  return marks->steps().step_s.size();
}

TEST(WindowMarks, HaveOneValuePerWholeGroup) {
  EXPECT_EQ(groups_after(12, 12, 1, 1), 12u);
  EXPECT_EQ(groups_after(12, 12, 4, 1), 3u);
  EXPECT_EQ(groups_after(14, 14, 4, 1), 3u);  // two steps behind the last group
  EXPECT_EQ(groups_after(13, 13, 4, 2), 3u);
  EXPECT_EQ(groups_after(5, 5, 5, 3), 1u);
}

TEST(WindowMarks, OfAWindowThatStoppedEarlyHoldItsWholeGroups) {
  EXPECT_EQ(groups_after(12, 10, 4, 1), 2u);
  EXPECT_EQ(groups_after(12, 9, 4, 1), 2u);
  EXPECT_EQ(groups_after(12, 3, 4, 1), 0u);
}

TEST(WindowMarks, OfStepsThatRunAsAWholeAreThinnedToo) {
  const auto device = device::make_cpu_device();
  const auto marks = make_window_marks(*device, 9, 1, 4);
  for (int i = 0; i < 9; ++i) marks->mark(kStepBegin);
  marks->mark(kWindowEnd);
  EXPECT_EQ(marks->steps().step_s.size(), 2u);
  EXPECT_TRUE(marks->steps().phases.empty());
}

// Steps 2 to 4 of each group sleep; the marks of the first alone must not be taken for all of it.
TEST(WindowMarks, TimeAllStepsOfAGroup) {
  const auto device = device::make_cpu_device();
  const auto marks = make_window_marks(*device, 8, 1, 4);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 8; ++i) {
    if (i % 4 != 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    one_step(*marks, 1);
  }
  marks->mark(kWindowEnd);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const auto groups = marks->steps();
  ASSERT_EQ(groups.step_s.size(), 2u);
  EXPECT_GE(groups.step_s[0], 1.5e-3);  // 6 ms / 4
  EXPECT_LE(4 * (groups.step_s[0] + groups.step_s[1]), took.count());
}

}  // namespace
}  // namespace scalemark::measurement
