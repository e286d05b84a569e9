#include <gtest/gtest.h>

#include "core/plan/estimates.h"

namespace scalemark::planning {
namespace {

constexpr std::uint64_t kGB = 1'000'000'000;

settings::ParallelSettings on(settings::DeviceKind device) {
  settings::ParallelSettings parallel;
  parallel.device = device;
  return parallel;
}

TEST(MemoryBudget, ACpuRankHasEightTenthsOfItsShareOfTheTighterOfHostAndCgroup) {
  EXPECT_EQ(memory_limit(on(settings::DeviceKind::kCpu), 0, {.host_bytes = 10 * kGB}), 8 * kGB);
  EXPECT_EQ(memory_limit(on(settings::DeviceKind::kCpu), 3,
                         {.host_bytes = 10 * kGB, .cgroup_bytes = 4 * kGB, .ranks = 2}),
            16 * kGB / 10);
  EXPECT_EQ(share_of_host({.host_bytes = 10 * kGB, .cgroup_bytes = 40 * kGB, .ranks = 2}), 5 * kGB);
  EXPECT_FALSE(memory_limit(on(settings::DeviceKind::kCpu), 0, {}))
      << "nothing is known of the machine";
}

TEST(MemoryBudget, AGpuHasNoLimitOfItselfAndWhatItHas) {
  const AvailableMemory there{.host_bytes = 10 * kGB, .gpu_bytes = 80 * kGB};
  EXPECT_FALSE(memory_limit(on(settings::DeviceKind::kCuda), 0, there));
  EXPECT_EQ(memory_available(on(settings::DeviceKind::kCuda), 0, there), 80 * kGB);
}

TEST(MemoryBudget, TheOptionRulesAndARanksOwnLimitBeforeThatOfAll) {
  settings::ParallelSettings parallel = on(settings::DeviceKind::kCpu);
  parallel.memory_limit.every_bytes = 20 * kGB;
  parallel.memory_limit.bytes_of_rank = {{1, kGB}};
  const AvailableMemory there{.host_bytes = 10 * kGB};
  EXPECT_EQ(memory_limit(parallel, 0, there), 20 * kGB);
  EXPECT_EQ(memory_available(parallel, 0, there), 10 * kGB) << "the machine has no more";
  EXPECT_EQ(memory_limit(parallel, 1, there), kGB);
  EXPECT_EQ(least_memory_available(parallel, 1, there), 10 * kGB);
  EXPECT_EQ(least_memory_available(parallel, 2, there), kGB);
}

TEST(MemoryBudget, ARankThatIsNotThereIsRefused) {
  settings::Settings settings;
  settings.parallel.memory_limit.bytes_of_rank = {{0, 1}, {2, 1}};
  EXPECT_FALSE(unknown_rank_in_memory_limit(settings, 3));
  const auto problem = unknown_rank_in_memory_limit(settings, 2);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->allowed, "the ranks are 0 to 1");
  EXPECT_FALSE(unknown_rank_in_memory_limit({}, 1));
}

}  // namespace
}  // namespace scalemark::planning
