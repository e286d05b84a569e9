#include "core/machine/network_ports.h"

#include <gtest/gtest.h>

namespace scalemark::monitoring {
namespace {

using Rates = std::vector<double>;

RdmaPort port(const std::string& device, int number = 1, const std::string& state = "ACTIVE",
              std::optional<double> rate = 400) {
  return {.device = device, .port = number, .state = state, .rate_Gbit_per_s = rate};
}

Nic nic(const std::string& name, std::optional<std::int64_t> speed,
        const std::string& state = "up") {
  return {.name = name, .state = state, .speed_Mbit_per_s = speed, .mtu = {}};
}

// A node of a large cluster: four rails, one of them down, and Ethernet for everything else.
Host rails() {
  Host host;
  host.rdma = {port("mlx5_0"), port("mlx5_1"), port("mlx5_10"), port("mlx5_2", 1, "DOWN")};
  host.nics = {nic("eth0", 100'000)};
  return host;
}

Rates rates(const std::string& list) {
  return network_ports(rails(), PortUse::kAll, {{"NCCL_IB_HCA", list}}).Gbit_per_s;
}

TEST(NetworkPorts, AdaptersThatAreUpAddUp) {
  const NetworkPorts found = network_ports(rails(), PortUse::kAll);
  EXPECT_TRUE(found.rdma);
  EXPECT_EQ(found.Gbit_per_s, (Rates{400, 400, 400}));
  EXPECT_EQ(ports_of_ranks(found, 8, 8).Gbit_per_s, 1200);
}

TEST(NetworkPorts, GlooHasTheFastestInterface) {
  Host host = rails();
  host.nics.push_back(nic("eth1", 25'000));
  const NetworkPorts found = network_ports(host, PortUse::kOneSocket);
  EXPECT_FALSE(found.rdma);
  EXPECT_EQ(found.Gbit_per_s, Rates{100});
}

TEST(NetworkPorts, VariablesOfNcclLeaveAdaptersOut) {
  EXPECT_EQ(network_ports(rails(), PortUse::kAll, {{"NCCL_IB_DISABLE", "1"}}).Gbit_per_s,
            Rates{100});
  EXPECT_EQ(rates("mlx5_1"), (Rates{400, 400})) << "a prefix, of mlx5_10, too";
  EXPECT_EQ(rates("=mlx5_1"), Rates{400});
  EXPECT_EQ(rates("^mlx5_1"), Rates{400});
  EXPECT_EQ(rates("^=mlx5_1"), (Rates{400, 400}));
  EXPECT_EQ(rates("=mlx5_0:1,mlx5_1:2"), Rates{400});
  EXPECT_EQ(rates(""), (Rates{400, 400, 400}));
}

TEST(NetworkPorts, NothingIsCountedTwice) {
  Host host;
  host.nics = {nic("eth0", 25'000),    nic("eth1", 25'000),        nic("bond0", 50'000),
               nic("eth0.12", 25'000), nic("docker0", 10'000),     nic("veth12ab", 10'000),
               nic("eth2", {}),        nic("eth3", 25'000, "down")};
  EXPECT_EQ(network_ports(host, PortUse::kAll).Gbit_per_s, (Rates{25, 25}));
  EXPECT_EQ(network_ports(host, PortUse::kOneSocket).Gbit_per_s, Rates{50});
  EXPECT_TRUE(network_ports({}, PortUse::kAll).Gbit_per_s.empty());
}

TEST(NetworkPorts, RanksFillTheRailsAndNoStorage) {
  NetworkPorts ports{.rdma = true,
                     .Gbit_per_s = {200, 200, 200, 200, 200, 200, 200, 200, 400, 400}};
  EXPECT_EQ(ports_of_ranks(ports, 8, 8).Gbit_per_s, 1600)
      << "eight rails, and two ports for storage";
  EXPECT_EQ(ports_of_ranks(ports, 1, 8).Gbit_per_s, 200) << "a rank fills one port";
  EXPECT_EQ(ports_of_ranks(ports, 16, 8).ports, 8);
  ports.Gbit_per_s.assign(32, 100);
  EXPECT_EQ(ports_of_ranks(ports, 1, 8).Gbit_per_s, 400) << "four ports for each GPU";
  ports.Gbit_per_s = {25, 100};
  EXPECT_EQ(ports_of_ranks(ports, 2, 0).Gbit_per_s, 100);
  EXPECT_EQ(ports_of_ranks({}, 8, 8).ports, 0);
}

// An adapter without a rate is used all the same: nothing is known of the node then.
TEST(NetworkPorts, AnUnknownRateIsNotTheEthernets) {
  Host host;
  host.rdma = {port("mlx5_0", 1, "ACTIVE", {})};
  host.nics = {nic("eth0", 25'000)};
  const NetworkPorts found = network_ports(host, PortUse::kAll);
  EXPECT_TRUE(found.rdma);
  EXPECT_TRUE(found.Gbit_per_s.empty());
}

}  // namespace
}  // namespace scalemark::monitoring
