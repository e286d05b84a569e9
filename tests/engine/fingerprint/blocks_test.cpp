#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "engine/device/device.h"
#include "engine/fingerprint/compute.h"

namespace scalemark::fingerprint {
namespace {

TEST(PlanBlocks, FortyBlocksThatFillTheTime) {
  const BlockPlan plan = plan_blocks(1e-3, 2);
  EXPECT_EQ(plan.blocks, 40);
  EXPECT_EQ(plan.calls, 50);
}

TEST(PlanBlocks, LongCallsAreBlocksOfTheirOwn) {
  EXPECT_EQ(plan_blocks(0.1, 2).blocks, 20);
  EXPECT_EQ(plan_blocks(0.1, 2).calls, 1);
  EXPECT_EQ(plan_blocks(5, 2).blocks, 2) << "one value has no spread";
}

TEST(PlanBlocks, ACallThatSeemsToTakeNoTimeEnds) {
  EXPECT_EQ(plan_blocks(0, 2).calls, 1'000'000);
  EXPECT_EQ(plan_blocks(1e-12, 2).calls, 1'000'000);
  EXPECT_EQ(plan_blocks(0, 2).blocks, 40);
}

TEST(RunBlocks, TimesEachBlockByItsCalls) {
  const auto device = device::make_cpu_device();
  int calls = 0;
  const auto timed = run_blocks(*device, {.blocks = 3, .calls = 4}, [&] {
    ++calls;
    if (calls > 8) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  });
  EXPECT_EQ(calls, 12);
  EXPECT_EQ(timed.calls_per_block, 4);
  ASSERT_EQ(timed.call_s.size(), 3u);
  EXPECT_GE(timed.call_s[2], 50e-3);
  EXPECT_LT(timed.call_s[0], timed.call_s[2]);
}

TEST(TimeCalls, BecomesSteadyThenFillsTheTime) {
  const auto device = device::make_cpu_device();
  const auto begun = std::chrono::steady_clock::now();
  const auto timed =
      time_calls(*device, 0.2, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  EXPECT_GE(timed.call_s.size(), 2u);
  EXPECT_GE(timed.call_s.front(), 1e-3);
  EXPECT_GE(took.count(), 0.1);
}

}  // namespace
}  // namespace scalemark::fingerprint
