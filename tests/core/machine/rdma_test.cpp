#include <gtest/gtest.h>

#include "core/machine/survey.h"
#include "tests/core/machine/fake_root.h"

namespace scalemark::monitoring {
namespace {

// The files of a ConnectX-7 as a DGX H100 shows them, and of a two-port ConnectX-5 with RoCE.
void write_infiniband(const FakeRoot& root) {
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1/";
  root.write(port + "state", "4: ACTIVE\n");
  root.write(port + "phys_state", "5: LinkUp\n");
  root.write(port + "rate", "400 Gb/sec (4X NDR)\n");
  root.write(port + "link_layer", "InfiniBand\n");
  root.write("sys/class/infiniband/mlx5_0/device/net/ibp24s0/mtu", "2044\n");
  root.write("dev/infiniband/uverbs0", "");
  root.write("dev/infiniband/rdma_cm", "");
}

void write_roce(const FakeRoot& root) {
  const std::string device = "sys/class/infiniband/rocep1s0f0/ports/";
  root.write(device + "1/state", "4: ACTIVE\n");
  root.write(device + "1/phys_state", "5: LinkUp\n");
  root.write(device + "1/rate", "25 Gb/sec (1X EDR)\n");
  root.write(device + "1/link_layer", "Ethernet\n");
  root.write(device + "1/gid_attrs/ndevs/0", "ens1f0np0\n");
  root.write(device + "2/state", "1: DOWN\n");
  root.write(device + "2/phys_state", "3: Disabled\n");
  root.write(device + "2/rate", "2.5 Gb/sec (1X SDR)\n");
  root.write(device + "2/link_layer", "Ethernet\n");
}

TEST(Rdma, PortsOfInfiniBandAndRoce) {
  FakeRoot root;
  write_infiniband(root);
  write_roce(root);
  const RdmaSurvey survey = survey_rdma(root.path());
  ASSERT_EQ(survey.ports.size(), 3u);
  const RdmaPort& ib = survey.ports[0];
  EXPECT_EQ(ib.device, "mlx5_0");
  EXPECT_EQ(ib.port, 1);
  EXPECT_EQ(ib.state, "ACTIVE");
  EXPECT_EQ(ib.physical_state, "LinkUp");
  EXPECT_EQ(ib.link_layer, "InfiniBand");
  EXPECT_EQ(ib.rate_Gbit_per_s, 400);
  EXPECT_EQ(ib.netdev, "ibp24s0");
  EXPECT_EQ(survey.ports[1].netdev, "ens1f0np0");
  EXPECT_EQ(survey.ports[1].rate_Gbit_per_s, 25);
  EXPECT_EQ(survey.ports[2].port, 2);
  EXPECT_EQ(survey.ports[2].state, "DOWN");
  EXPECT_EQ(survey.ports[2].rate_Gbit_per_s, 2.5);
  EXPECT_EQ(survey.ports[2].netdev, "");
  EXPECT_EQ(survey.verbs_devices, 1);
  EXPECT_FALSE(survey.peer_memory);
  EXPECT_EQ(survey_host(root.path(), "").rdma.size(), 3u);
}

TEST(Rdma, TheModuleOfGpuDirect) {
  FakeRoot root;
  root.write("sys/module/nvidia_peermem/refcnt", "0\n");
  EXPECT_TRUE(survey_rdma(root.path()).peer_memory);
  FakeRoot older;
  older.write("sys/module/nv_peer_mem/refcnt", "0\n");
  EXPECT_TRUE(survey_rdma(older.path()).peer_memory);
}

TEST(Rdma, AMachineWithoutIsNoError) {
  FakeRoot root;
  const RdmaSurvey survey = survey_rdma(root.path());
  EXPECT_TRUE(survey.ports.empty());
  EXPECT_EQ(survey.verbs_devices, 0);
  EXPECT_FALSE(survey.peer_memory);
}

// A driver may report less: what is missing is absent, and the port stays.
TEST(Rdma, APortThatReportsLess) {
  FakeRoot root;
  root.write("sys/class/infiniband/odd_0/ports/1/rate", "unknown\n");
  const RdmaSurvey survey = survey_rdma(root.path());
  ASSERT_EQ(survey.ports.size(), 1u);
  EXPECT_FALSE(survey.ports[0].rate_Gbit_per_s);
  EXPECT_EQ(survey.ports[0].state, "");
}

}  // namespace
}  // namespace scalemark::monitoring
