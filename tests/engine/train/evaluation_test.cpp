#include "engine/train/evaluation.h"

#include <gtest/gtest.h>

#include <vector>

namespace scalemark::running {
namespace {

TEST(EvaluatedShare, IsEveryNthSampleAndNoOtherOnACpu) {
  const auto share = evaluated_share(11, {.first = 1, .world_size = 3}, std::nullopt);
  std::vector<std::int64_t> indices;
  for (const auto& sample : share) {
    indices.push_back(sample.index);
    EXPECT_FALSE(sample.padding);
  }
  EXPECT_EQ(indices, (std::vector<std::int64_t>{1, 4, 7, 10}));
}

// Counted is the same: what fills the last batch stands last and is padding.
TEST(EvaluatedShare, FillsTheLastBatchWithPadding) {
  const auto share = evaluated_share(11, {.world_size = 2}, 4);  // 0, 2, 4, 6, 8, 10
  ASSERT_EQ(share.size(), 8u);
  for (std::size_t i = 0; i < share.size(); ++i) EXPECT_EQ(share[i].padding, i >= 6) << i;
  EXPECT_EQ(share[5].index, 10);
  EXPECT_EQ(evaluated_share(8, {.world_size = 2}, 4).size(), 4u);  // full already
  EXPECT_EQ(evaluated_share(1, {}, 4).size(), 4u);
  EXPECT_TRUE(
      evaluated_share(1, {.first = 1, .world_size = 2}, 4).empty());  // a rank without samples
  EXPECT_EQ(evaluated_share(11, {.count = 3, .world_size = 3}, {}).size(), 11u);  // all replicas
  EXPECT_TRUE(evaluated_share(11, {.first = 3, .count = 0, .world_size = 3}, 4).empty());  // server
}

}  // namespace
}  // namespace scalemark::running
