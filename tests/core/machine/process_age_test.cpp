#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/machine/process_reading.h"

namespace scalemark::monitoring {
namespace {

TEST(StatField, IsFoundWhateverTheProgramIsCalled) {
  const std::string rest = " S 1 2 3 0 -1 4194304 95 0 0 0 0 0 0 0 20 0 1 0 814250 2293760 1 2";
  EXPECT_EQ(stat_field("4711 (cat)" + rest, 22), 814250u);
  EXPECT_EQ(stat_field("4711 (a (b) c) d)" + rest, 22), 814250u);
  EXPECT_FALSE(stat_field("4711 (cat) S 1 2 3", 22));
  EXPECT_FALSE(stat_field("", 22));
  EXPECT_EQ(stat_field("4711 (cat) S 17 2 3", 4), 17u);
}

TEST(ProcessAge, GrowsAsTimeGoesBy) {
  const auto before = process_age();
  ASSERT_TRUE(before);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto after = process_age();
  EXPECT_GE(after->count() - before->count(), 0.05);
  EXPECT_LT(after->count(), 600) << "seconds, of this test";
}

}  // namespace
}  // namespace scalemark::monitoring
