#include "apps/scalemark/rdma_text.h"

#include <gtest/gtest.h>

namespace scalemark::cli {
namespace {

monitoring::RdmaPort port(const std::string& layer) {
  monitoring::RdmaPort made;
  made.device = "mlx5_0";
  made.state = "ACTIVE";
  made.physical_state = "LinkUp";
  made.link_layer = layer;
  made.rate_Gbit_per_s = 400;
  made.netdev = "ib0";
  return made;
}

using Lines = std::vector<std::string>;

TEST(RdmaLines, NoneIsOneLine) {
  EXPECT_EQ(rdma_lines({}), (Lines{"none: /sys/class/infiniband has no port; between nodes NCCL, "
                                   "Gloo and MPI use TCP"}));
}

TEST(RdmaLines, APortAndWhatItTakesToUseIt) {
  RdmaFacts facts;
  facts.survey.ports = {port("InfiniBand")};
  facts.survey.verbs_devices = 1;
  facts.survey.peer_memory = true;
  facts.verbs_load = facts.gpus = true;
  EXPECT_EQ(rdma_lines(facts), (Lines{"mlx5_0 port 1: ACTIVE (LinkUp), InfiniBand, 400 Gbit/s, ib0",
                                      "libibverbs.so.1 loads", "/dev/infiniband: 1 uverbs devices",
                                      "GPUDirect RDMA: nvidia_peermem is loaded"}));
}

TEST(RdmaLines, WhatIsMissingAndWhatToDo) {
  RdmaFacts facts;
  facts.survey.ports = {port("Ethernet")};
  facts.gpus = true;
  const Lines lines = rdma_lines(facts);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0], "mlx5_0 port 1: ACTIVE (LinkUp), Ethernet (RoCE), 400 Gbit/s, ib0");
  EXPECT_NE(lines[1].find("apt-get install libibverbs1"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("0 uverbs devices for 1 adapters"), std::string::npos) << lines[2];
  EXPECT_NE(lines[3].find("not loaded"), std::string::npos) << lines[3];
  facts.gpus = false;
  EXPECT_EQ(rdma_lines(facts).size(), 3u) << "without GPUs nothing is said of them";
}

}  // namespace
}  // namespace scalemark::cli
