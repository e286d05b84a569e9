#include "core/plan/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/error.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

std::vector<std::size_t> order_of(const std::vector<PlannedRun>& runs) {
  std::vector<std::size_t> order;
  for (const PlannedRun& run : runs) order.push_back(run.point);
  return order;
}

TEST(SortingKey, OrdersNumbersWithinNamesByTheirValue) {
  const std::vector<std::string> sorted{"mlp-b8-w2",           "mlp-b8-w16",
                                        "mlp-b16-w2-bucket1",  "mlp-b16-w2-bucket5",
                                        "mlp-b16-w2-bucket25", "mlp-b16-w2-bucket100",
                                        "mlp-b16-w2-rate0.25", "mlp-b16-w2-rate0.5",
                                        "mlp-b16-w2-rate1.5",  "x"};
  std::vector<std::string> names(sorted.rbegin(), sorted.rend());
  std::ranges::sort(names, {}, sorting_key);
  EXPECT_EQ(names, sorted);
}

TEST(Block, HoldsEveryPointThatCanRunOnce) {
  const Plan p =
      plan({{"world_sizes", "1,2,3,4"}, {"batch_size", "1..8*2"}, {"global_batch_size", "16"}});
  std::size_t can_run = 0;
  for (const PlannedPoint& point : p.points) can_run += point.skipped ? 0 : 1;
  EXPECT_LT(can_run, p.points.size());
  for (const int k : {0, 1, 4, 5, 1000}) {
    const auto runs = block(p, k);
    std::set<std::size_t> points;
    for (const PlannedRun& run : runs) {
      EXPECT_TRUE(points.insert(run.point).second);
      EXPECT_FALSE(p.points[run.point].skipped);
      EXPECT_EQ(run.id, p.points[run.point].group + "/r" + std::to_string(k));
      EXPECT_EQ(run.block, k);
      EXPECT_EQ(run.order, static_cast<int>(points.size()) - 1);
    }
    EXPECT_EQ(points.size(), can_run);
  }
}

TEST(Block, ThePlansRunsAreTheFirstBlocks) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"repetitions", "3"}});
  std::vector<PlannedRun> joined;
  for (int k = 0; k < 3; ++k) {
    for (const PlannedRun& run : block(p, k)) joined.push_back(run);
  }
  ASSERT_EQ(p.runs.size(), joined.size());
  for (std::size_t i = 0; i < joined.size(); ++i) EXPECT_EQ(p.runs[i].id, joined[i].id);
}

// Pinned: the order must not change with a compiler, a standard library or a rewrite, or a resumed
// sweep would run in another order than the one it began with.
TEST(Block, TheOrderIsTheSameEverywhere) {
  Plan p;
  p.points.resize(8);
  EXPECT_EQ(order_of(block(p, 0)), (std::vector<std::size_t>{4, 5, 2, 0, 7, 1, 3, 6}));
  EXPECT_EQ(order_of(block(p, 1)), (std::vector<std::size_t>{4, 6, 3, 5, 1, 7, 2, 0}));
  p.seed = 1;
  EXPECT_EQ(order_of(block(p, 0)), (std::vector<std::size_t>{4, 6, 3, 5, 1, 7, 2, 0}));
}

TEST(Block, AnotherSeedIsAnotherOrderOfTheSameIds) {
  const Plan a = plan({{"world_sizes", "1,2,4"}, {"batch_size", "1..8*2"}, {"seed", "1"}});
  const Plan b = plan({{"world_sizes", "1,2,4"}, {"batch_size", "1..8*2"}, {"seed", "99"}});
  std::set<std::string> ids_a, ids_b;
  for (const PlannedRun& run : a.runs) ids_a.insert(run.id);
  for (const PlannedRun& run : b.runs) ids_b.insert(run.id);
  EXPECT_EQ(ids_a, ids_b);
  EXPECT_NE(order_of(a.runs), order_of(b.runs));
}

// Each point is equally often at each place: chi-squared with 5 degrees of freedom per point stays
// below its 99.99 % quantile (25.7).
TEST(Block, EveryOrderIsEquallyLikely) {
  Plan p;
  p.points.resize(6);
  std::array<std::array<int, 6>, 6> at{};
  constexpr int kBlocks = 6000;
  for (int k = 0; k < kBlocks; ++k) {
    for (const PlannedRun& run : block(p, k)) ++at[run.point][static_cast<std::size_t>(run.order)];
  }
  for (const auto& places : at) {
    double chi2 = 0;
    for (const int n : places) chi2 += (n - 1000.0) * (n - 1000.0) / 1000;
    EXPECT_LT(chi2, 25.7);
  }
}

TEST(Members, FillAndSpread) {
  const std::vector<int> two_by_three{0, 0, 0, 1, 1, 1};
  using Ranks = std::vector<int>;
  EXPECT_EQ(members(1, two_by_three, Placement::kFill), Ranks{0});
  EXPECT_EQ(members(4, two_by_three, Placement::kFill), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(members(2, two_by_three, Placement::kSpread), (Ranks{0, 3}));
  EXPECT_EQ(members(3, two_by_three, Placement::kSpread), (Ranks{0, 1, 3}));
  EXPECT_EQ(members(6, two_by_three, Placement::kSpread), (Ranks{0, 1, 2, 3, 4, 5}));
  // Ranks dealt out in turn, as mpirun --map-by node does, and nodes of unequal size.
  EXPECT_EQ(members(2, {0, 1, 0, 1}, Placement::kFill), (Ranks{0, 2}));
  EXPECT_EQ(members(2, {0, 1, 0, 1}, Placement::kSpread), (Ranks{0, 1}));
  EXPECT_EQ(members(4, {0, 1, 1, 1}, Placement::kSpread), (Ranks{0, 1, 2, 3}));
}

TEST(Members, AreNestedAndHoldRankZero) {
  const std::vector<int> nodes{0, 1, 2, 0, 1, 2, 0, 1, 2};
  for (const Placement placement : {Placement::kFill, Placement::kSpread}) {
    for (int n = 1; n < 9; ++n) {
      const auto small = members(n, nodes, placement), large = members(n + 1, nodes, placement);
      EXPECT_EQ(small.size(), static_cast<std::size_t>(n));
      EXPECT_EQ(small.front(), 0);
      EXPECT_TRUE(std::ranges::includes(large, small));
    }
  }
}

TEST(Members, MoreThanThereAreIsABug) {
  EXPECT_THROW(members(3, {0, 0}, Placement::kFill), Error);
  EXPECT_THROW(members(0, {0, 0}, Placement::kFill), Error);
}

// The rank of points of one rank, block by block.
std::vector<int> single_ranks(const Plan& p, int blocks) {
  std::vector<int> ranks;
  for (int k = 0; k < blocks; ++k) {
    for (const PlannedRun& run : block(p, k)) {
      if (p.points[run.point].role != Role::kBaseline) continue;
      ranks.push_back(members_of(p, run).at(0));
      break;
    }
  }
  return ranks;
}

// Were it always rank 0, the difference of its device from the others would be in every efficiency
// and in no interval.
TEST(MembersOf, OneRankIsDrawnAnewForEachBlock) {
  const Plan p = plan({{"world_sizes", "1,2,4"}, {"repetitions", "8"}});
  const auto ranks = single_ranks(p, 8);
  for (const int from : {0, 4}) {
    const std::set<int> turn(ranks.begin() + from, ranks.begin() + from + 4);
    EXPECT_EQ(turn, (std::set<int>{0, 1, 2, 3})) << "each has its turn before one comes again";
  }
  EXPECT_EQ(ranks, (std::vector<int>{0, 2, 3, 1, 0, 2, 3, 1})) << "pinned: a resume goes by it";
}

TEST(MembersOf, AllPointsOfOneRankShareTheRankOfTheirBlock) {
  const Plan p = plan({{"world_sizes", "1,2"}, {"batch_size", "8,16"}});
  for (int k = 0; k < 5; ++k) {
    std::set<std::vector<int>> ones;
    for (const PlannedRun& run : block(p, k)) {
      const PlannedPoint& point = p.points[run.point];
      if (point.world_size == 1) ones.insert(members_of(p, run));
      if (point.world_size == 1) continue;
      EXPECT_EQ(members_of(p, run), point.members);
    }
    EXPECT_EQ(ones.size(), 1u);
  }
}

TEST(MembersOf, AnotherSeedDrawsOtherRanks) {
  const auto drawn = [](const char* seed) {
    return single_ranks(plan({{"world_sizes", "1,4"}, {"seed", seed}}), 4);
  };
  EXPECT_EQ(drawn("0"), drawn("0"));
  EXPECT_NE(drawn("0"), drawn("1"));
}

TEST(MembersOf, OfOneLaunchedRankThereIsNoChoice) {
  const Plan p = plan({{"world_sizes", "1"}}, {0});
  EXPECT_EQ(single_ranks(p, 3), (std::vector<int>{0, 0, 0}));
}

TEST(MembersOf, ADedicatedServerIsTheLastMember) {
  const Plan p =
      plan({{"world_sizes", "1,2"}, {"strategy", "ddp,parameter-server"}, {"server", "dedicated"}},
           {0, 0, 0});
  const PlannedPoint& one = find(p, "mlp-b64-fp32-w1-parameter-server");
  EXPECT_EQ(one.processes, 2);
  for (const PlannedRun& run : p.runs) {
    const PlannedPoint& point = p.points[run.point];
    EXPECT_EQ(members_of(p, run).size(), static_cast<std::size_t>(point.processes)) << run.id;
    if (&point == &one) {
      EXPECT_EQ(members_of(p, run), (std::vector<int>{0, 1}));
    }
  }
}

TEST(AssignMembers, GoesByTheNodesThatWereMet) {
  Plan p = plan({{"world_sizes", "1,2"}});
  assign_members(p, {0, 1, 0, 1});
  EXPECT_EQ(find(p, "mlp-b64-fp32-w2-ddp").members, (std::vector<int>{0, 2}));
}

}  // namespace
}  // namespace scalemark::planning
