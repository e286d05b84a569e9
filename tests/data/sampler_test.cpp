#include "data/load/sampler.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

std::vector<std::int64_t> indices(const SamplerOptions& options, std::int64_t epoch = 0) {
  std::vector<std::int64_t> result;
  for (const SampledIndex& sample : sample_indices(options, epoch)) result.push_back(sample.index);
  return result;
}

TEST(Sampler, KnownPermutation) {  // torch.randperm(10, generator=torch.Generator().manual_seed(0))
  EXPECT_EQ(torch_randperm(10, 0), (std::vector<std::int64_t>{4, 1, 7, 5, 3, 9, 0, 8, 6, 2}));
}

TEST(Sampler, WithoutShuffleRanksTakeTurnsAndTheStartPads) {
  const SamplerOptions options{.dataset_size = 5, .rank = 1, .world_size = 3, .shuffle = false};
  EXPECT_EQ(indices(options), (std::vector<std::int64_t>{1, 4}));
  const auto last =
      sample_indices({.dataset_size = 5, .rank = 2, .world_size = 3, .shuffle = false}, 0);
  EXPECT_EQ(last[1].index, 0);
  EXPECT_TRUE(last[1].padding);
  EXPECT_FALSE(last[0].padding);
}

TEST(Sampler, AWorldLargerThanTheDataRepeatsIt) {
  for (int rank = 0; rank < 8; ++rank) {
    const auto mine =
        sample_indices({.dataset_size = 3, .rank = rank, .world_size = 8, .shuffle = false}, 0);
    ASSERT_EQ(mine.size(), 1u);
    EXPECT_EQ(mine[0].index, rank % 3);
    EXPECT_EQ(mine[0].padding, rank >= 3);
  }
  EXPECT_TRUE(indices({.dataset_size = 3, .world_size = 8, .drop_last = true}).empty());
}

TEST(Sampler, RanksAreDisjointAndTogetherEverything) {
  std::multiset<std::int64_t> seen;
  for (int rank = 0; rank < 4; ++rank) {
    const auto mine = indices({.dataset_size = 100, .rank = rank, .world_size = 4, .seed = 3}, 2);
    seen.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(seen.size(), 100u);
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), 100u);
}

TEST(Sampler, SeedAndEpochAddUp) {
  EXPECT_EQ(indices({.dataset_size = 50, .seed = 4}, 1),
            indices({.dataset_size = 50, .seed = 5}, 0));
  EXPECT_NE(indices({.dataset_size = 50, .seed = 4}, 1),
            indices({.dataset_size = 50, .seed = 4}, 0));
}

TEST(Sampler, RefusesWhatTorchRefuses) {
  const auto largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_NO_THROW(sample_indices({.dataset_size = 4, .seed = largest}, 0));
  EXPECT_THROW(sample_indices({.dataset_size = 4, .seed = largest}, 1), Error);
  EXPECT_THROW(sample_indices({.dataset_size = 4, .rank = 2, .world_size = 2}, 0), Error);
}

// 103 samples are dealt to so many ranks in turn, three batches of two each at a time.
TEST(Sampler, RanksThatComeAndGoSeeEachSampleOnce) {
  std::multiset<std::int64_t> seen;
  std::int64_t dealt = 0;
  for (const int world : {4, 3, 5, 1, 2, 7}) {
    const auto deal = [&](std::int64_t of_a_rank) {
      for (int rank = 0; rank < world; ++rank) {
        const auto mine = indices(
            {.dataset_size = 103, .rank = rank, .world_size = world, .seed = 1, .dealt = dealt}, 1);
        ASSERT_LE(of_a_rank, std::ssize(mine));
        seen.insert(mine.begin(), mine.begin() + of_a_rank);
      }
      dealt += of_a_rank * world;
    };
    if (world < 7) deal(6);
    if (world == 7) deal((103 - dealt) / world);
  }
  EXPECT_EQ(std::ssize(seen), dealt);
  EXPECT_EQ(std::set<std::int64_t>(seen.begin(), seen.end()).size(), seen.size());
  EXPECT_LT(103 - dealt, 7);
}

TEST(Sampler, WhatIsDealtIsTheBeginningOfTheOrder) {
  const auto order = indices({.dataset_size = 20, .seed = 5});
  EXPECT_EQ(indices({.dataset_size = 20, .seed = 5, .dealt = 12}),
            std::vector(order.begin() + 12, order.end()));
  EXPECT_TRUE(indices({.dataset_size = 20, .dealt = 24}).empty());
}

TEST(Sampler, NoDataNoSamples) { EXPECT_TRUE(indices({.dataset_size = 0}).empty()); }

}  // namespace
}  // namespace scalemark::data
