#include "core/collectives/bandwidth.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

using enum Collective;

// nccl-tests, doc/PERFORMANCE.md: "AllReduce: 2*(n-1)/n, ReduceScatter, AllGather: (n-1)/n,
// Broadcast: 1, Reduce: 1"; and the getBw() of alltoall (n-1)/n, gather (n-1)/n, sendrecv 1.
TEST(BusFactor, IsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(*bus_factor(kAllReduce, 2), 1);
  EXPECT_DOUBLE_EQ(*bus_factor(kAllReduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(*bus_factor(kAllReduce, 8), 1.75);
  for (const Collective shared : {kAllGather, kReduceScatter, kAllToAll, kGather}) {
    EXPECT_DOUBLE_EQ(*bus_factor(shared, 2), 0.5);
    EXPECT_DOUBLE_EQ(*bus_factor(shared, 8), 0.875);
  }
  for (const Collective whole : {kBroadcast, kReduce, kSendRecv}) {
    EXPECT_DOUBLE_EQ(*bus_factor(whole, 2), 1);
    EXPECT_DOUBLE_EQ(*bus_factor(whole, 64), 1);
  }
  EXPECT_EQ(bus_factor(kBarrier, 8), std::nullopt);
  EXPECT_DOUBLE_EQ(*bus_factor(kAllReduce, 1), 0);
}

// 128 MiB in 1.8 ms on 8 ranks.
TEST(Bandwidth, GigabytesAreDecimal) {
  const auto found = bandwidth(kAllReduce, 8, 134'217'728, 1.8e-3);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->algbw_GBps, 74.5654, 1e-4);
  EXPECT_NEAR(found->busbw_GBps, 130.4895, 1e-4);
  EXPECT_EQ(bandwidth(kBarrier, 8, 0, 1e-3), std::nullopt);
  EXPECT_THROW(bandwidth(kAllReduce, 8, 8, 0), Error);
}

}  // namespace
}  // namespace scalemark::collectives
