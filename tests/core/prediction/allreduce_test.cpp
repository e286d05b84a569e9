#include "core/prediction/allreduce.h"

#include <gtest/gtest.h>

namespace scalemark::prediction {
namespace {

const std::array<Link, kLevels> kLinks = {{{1e-5, 1e-9}, {5e-5, 1e-8}}};

double cost(Algorithm algorithm, Layout layout, double bytes, int chunks = 1) {
  return cost_s(allreduce_terms(algorithm, layout, bytes, chunks), kLinks);
}

TEST(AllReduce, OneRankCostsNothing) {
  EXPECT_EQ(cost(Algorithm::kRing, {1, 1}, 1e6), 0);
  EXPECT_EQ(cost(Algorithm::kTree, {1, 1}, 1e6, 16), 0);
}

TEST(AllReduce, RingOfFourWithinANode) {  // 6 messages of 250 kB: 6 (10 us + 250 us)
  EXPECT_NEAR(cost(Algorithm::kRing, {1, 4}, 1e6), 1.56e-3, 1e-15);
}

TEST(AllReduce, RingOfFourNodes) {  // 6 messages of 250 kB between nodes: 6 (50 us + 2.5 ms)
  EXPECT_NEAR(cost(Algorithm::kRing, {4, 1}, 1e6), 15.3e-3, 1e-15);
}

TEST(AllReduce, RingsInBothLevels) {  // 2 within: 2 (10 us + 500 us); 6 between as above
  EXPECT_NEAR(cost(Algorithm::kRing, {4, 2}, 1e6), 1.02e-3 + 15.3e-3, 1e-15);
}

TEST(AllReduce, TreeOfEight) {  // depth 3, 9 more chunks of 100 kB: 2 (3 + 9) (10 us + 100 us)
  EXPECT_NEAR(cost(Algorithm::kTree, {1, 8}, 1e6, 10), 2.64e-3, 1e-15);
}

TEST(AllReduce, TreeOverNodes) {  // 2 hops within, 2 (2 + 9) between: 2 x 110 us + 22 x 1.05 ms
  EXPECT_NEAR(cost(Algorithm::kTree, {4, 2}, 1e6, 10), 23.32e-3, 1e-15);
}

// nccl-tests' factor: an ideal ring moves 2 (n - 1) / n of the payload.
TEST(AllReduce, BytesOfARingFollowTheFactor) {
  for (const int ranks : {2, 3, 8, 1000}) {
    const auto terms = allreduce_terms(Algorithm::kRing, {1, ranks}, 1e6, 1);
    EXPECT_NEAR(terms.bytes[kIntraNode], 2e6 * (ranks - 1) / ranks, 1e-6);
  }
}

TEST(AllReduce, ChunksOf512KiB) {
  EXPECT_EQ(chunks_of(1), 1);
  EXPECT_EQ(chunks_of(4 * 512 * 1024), 4);
  EXPECT_EQ(chunks_of(1e12), 64);
}

}  // namespace
}  // namespace scalemark::prediction
