#include <gtest/gtest.h>

#include "core/collectives/bandwidth.h"

namespace scalemark::collectives {
namespace {

using enum Collective;

TEST(ExpectedBusbw, PcieLanesAfterEncoding) {
  DataPath path{.node_of_member = {0, 0}, .on_gpus = true, .pcie_generation = 4, .pcie_lanes = 16};
  const auto found = expected_busbw(kAllReduce, path);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->busbw_GBps, 31.508, 1e-3);  // 16 GT/s x 16 / 8 x 128 / 130
  EXPECT_EQ(found->source,
            "PCIe 4 x16 one way; bound of a ring: reductions inside the network can "
            "exceed it");
  path.pcie_generation = 1;
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, path)->busbw_GBps, 4);
  path.pcie_generation = 99;
  EXPECT_FALSE(expected_busbw(kAllReduce, path));
}

TEST(ExpectedBusbw, NvlinkBeforePcie) {
  const DataPath h100{.node_of_member = {0, 0, 0, 0},
                      .on_gpus = true,
                      .pcie_generation = 5,
                      .pcie_lanes = 16,
                      .nvlinks = 18,
                      .compute_major = 9,
                      .compute_minor = 0};
  EXPECT_DOUBLE_EQ(expected_busbw(kAllGather, h100)->busbw_GBps, 450);
  DataPath staged = h100;
  staged.host_staging = true;  // Gloo: through the host
  EXPECT_NEAR(expected_busbw(kAllReduce, staged)->busbw_GBps, 63.015, 1e-3);
  staged.memory_GBps = 100;
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, staged)->busbw_GBps, 12.5);
}

TEST(ExpectedBusbw, TheRingCrossesTheNetwork) {
  DataPath path{.node_of_member = {0, 0, 1, 1}, .network = NodeNetwork{1, 100}};
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, path)->busbw_GBps, 12.5);
  EXPECT_DOUBLE_EQ(expected_busbw(kSendRecv, path)->busbw_GBps, 12.5);
  // Each of 2 ranks sends half of its data to the other node: 2 x 2 shares of S / 4.
  EXPECT_DOUBLE_EQ(expected_busbw(kAllToAll, path)->busbw_GBps, 12.5 * 3 / 4);
  // The root's node lacks half.
  EXPECT_DOUBLE_EQ(expected_busbw(kGather, path)->busbw_GBps, 12.5 * 3 / 2);
  path.node_of_member = {0, 1, 0, 1};
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, path)->busbw_GBps, 6.25);
  path.reorders_ring = true;
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, path)->busbw_GBps, 12.5);
}

TEST(ExpectedBusbw, AllPortsOfANodeCarryIt) {
  const DataPath path{.node_of_member = {0, 1}, .network = NodeNetwork{8, 3200}};
  const auto found = expected_busbw(kAllReduce, path);
  EXPECT_DOUBLE_EQ(found->busbw_GBps, 400);
  EXPECT_EQ(
      found->source,
      "8 network ports of a node, 3200 Gb/s (400.0 GB/s) one way; bound of a ring: reductions "
      "inside the network can exceed it");
}

TEST(ExpectedBusbw, MemoryIsSharedByTheRanksOfANode) {
  const DataPath path{.node_of_member = {0, 0, 0, 0}, .memory_GBps = 24};
  EXPECT_DOUBLE_EQ(expected_busbw(kAllReduce, path)->busbw_GBps, 3);
  EXPECT_DOUBLE_EQ(expected_busbw(kBroadcast, path)->busbw_GBps, 4);
  EXPECT_DOUBLE_EQ(expected_busbw(kGather, path)->busbw_GBps, 12);
  EXPECT_EQ(expected_busbw(kAllReduce, path)->source,
            "memory of 24.00 GB/s (measured here, read + write), each byte read and written "
            "once by 4 ranks; caches can exceed it");
}

TEST(ExpectedBusbw, AbsentWhereNothingIsKnown) {
  EXPECT_FALSE(expected_busbw(kAllReduce, {.node_of_member = {0, 0}}));
  EXPECT_FALSE(expected_busbw(kAllReduce, {.node_of_member = {0}, .memory_GBps = 10}));
  EXPECT_FALSE(expected_busbw(kBarrier, {.node_of_member = {0, 0}, .memory_GBps = 10}));
  EXPECT_FALSE(expected_busbw(kAllReduce, {.node_of_member = {0, 0}, .network = NodeNetwork{1, 1}}))
      << "no network between ranks of one node";
}

}  // namespace
}  // namespace scalemark::collectives
