#include "core/machine/nccl_log.h"

#include <gtest/gtest.h>

#include "core/base/text.h"

namespace scalemark::monitoring {
namespace {

using Texts = std::vector<std::string>;

// Two nodes of two GPUs.
const std::vector<int> kTwoNodes{0, 0, 1, 1};
const std::vector<int> kOneNode{0, 0, 0, 0};

// The lines of one process; some of NCCL's are not read.
std::string log_of(const Texts& lines) {
  std::string text;
  for (const std::string& line : lines) text += "node-1:4711:4711 [0] NCCL INFO " + line + "\n";
  return text;
}

NcclChoice chosen(const Texts& lines, const std::vector<int>& nodes = kTwoNodes) {
  NcclLogReader reader;
  reader.read(log_of(lines), nodes);
  return reader.choice();
}

const std::string kRings =
    "Pattern 4, crossNic 0, nChannels 12, bw 20.000000/20.000000, type NVL/PIX, sameChannels 1";
const std::string kIb = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>";

TEST(NcclLog, ANodeOfNvlinkWithRailsOfInfiniBand) {
  // In the order of 2.18, whose communicators connect all rings when they are made.
  const NcclChoice choice = chosen(
      {"Bootstrap : Using eth0:10.0.0.1<0>", "NET/Plugin : No plugin found, using internal", kIb,
       "Using network IB",
       "Pattern 4, crossNic 0, nChannels 12, bw 20.000000/20.000000, type NVL/PIX, sameChannels 1",
       "Pattern 1, crossNic 0, nChannels 12, bw 24.000000/24.000000, type PHB/PIX, sameChannels 1",
       "Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/0/GDRDMA",
       "Channel 01/0 : 3[1] -> 0[0] [receive] via NET/IB/1/GDRDMA",
       "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC/read",
       "Channel 01/0 : 0[0] -> 2[0] [send] via NET/IB/1(1)/GDRDMA/Shared", "Connected all rings"});
  EXPECT_EQ(choice.within, Texts{"NVLink"});
  EXPECT_EQ(choice.between, Texts{"InfiniBand with GPUDirect"});
  EXPECT_EQ(choice.adapters, (Texts{"mlx5_0:1/IB", "mlx5_1:1/IB"}));
}

TEST(NcclLog, EveryTransportHasItsWord) {
  const auto within = [](const std::string& path, const std::string& via) {
    return joined(
        chosen({"Pattern 4, crossNic 0, nChannels 2, bw 1/1, type " + path + "/PIX, sameChannels 1",
                "Channel 00/0 : 0[0] -> 1[1] via " + via})
            .within,
        ",");
  };
  EXPECT_EQ(within("NVL", "P2P/CUMEM/read"), "NVLink");
  EXPECT_EQ(within("NVB", "P2P/indirect/3[3]"), "NVLink");
  EXPECT_EQ(within("SYS", "P2P/MNNVL"), "NVLink");
  EXPECT_EQ(within("PHB", "P2P/direct pointer"), "PCIe peer to peer");
  EXPECT_EQ(within("SYS", "P2P/IPC/CE"), "PCIe peer to peer");
  EXPECT_EQ(within("DIS", "P2P/IPC"), "peer to peer");
  EXPECT_EQ(within("NVL", "NET/Socket/0"), "sockets");
  EXPECT_EQ(chosen({"Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"}).within,
            Texts{"shared memory"});
  EXPECT_EQ(chosen({"Channel 00/0 : 0[0] -> 1[1] via P2P/IPC"}).within, Texts{"peer to peer"});
  const auto between = [](const std::string& via, const std::string& list = "") {
    return joined(chosen({list, "Channel 00/1 : 0[0] -> 2[0] [send] via " + via}).between, ",");
  };
  EXPECT_EQ(between("NET/IB/3"), "InfiniBand");
  EXPECT_EQ(between("NET/IB/3/GDRDMA(PCI)"), "InfiniBand with GPUDirect");
  EXPECT_EQ(between("NET/IB/0/GDRDMA", "NET/IB : Using [0]rdma0:1/RoCE ; OOB eth0:1.2.3.4<0>"),
            "RoCE with GPUDirect");
  EXPECT_EQ(between("NET/Socket/0/Shared"), "sockets");
  EXPECT_EQ(between("NET/AWS Libfabric/2/GDRDMA"), "plugin AWS Libfabric with GPUDirect");
  EXPECT_EQ(between("NET/IBext_v8/0"), "plugin IBext_v8");
  EXPECT_EQ(between("P2P/MNNVL"), "NVLink");
  EXPECT_EQ(between("P2P/CUMEM"), "") << "no other machine is reached so";
}

TEST(NcclLog, SeveralTransportsOfOneNodeAreAllNamed) {
  const NcclChoice choice =
      chosen({kIb, "Using network IB", "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct",
              "Pattern 4, crossNic 0, nChannels 2, bw 6.0/6.0, type PHB/SYS, sameChannels 1",
              "Channel 00/1 : 1[1] -> 0[0] via P2P/CUMEM",
              "Channel 00/0 : 1[1] -> 2[0] [send] via NET/IB/0", "Using network IB",
              "Channel 00/0 : 3[1] -> 0[0] [receive] via NET/IB/1/GDRDMA"});
  EXPECT_EQ(choice.within, (Texts{"PCIe peer to peer", "shared memory"}));
  EXPECT_EQ(choice.between, (Texts{"InfiniBand", "InfiniBand with GPUDirect"}));
}

TEST(NcclLog, TheListOfAdaptersIsThatOfTheNetworkInUse) {
  const std::string sockets = "NET/Socket : Using [0]eth0:10.0.0.1<0> [1]ib0:fe80::1%ib0<0>";
  EXPECT_EQ(chosen({kIb, sockets, "Using network Socket"}).adapters, (Texts{"eth0", "ib0"}));
  EXPECT_EQ(chosen({sockets, kIb, "Using network IB"}).adapters,
            (Texts{"mlx5_0:1/IB", "mlx5_1:1/IB"}));
  EXPECT_EQ(chosen({"NET/IB : No device found.", sockets, "Using network IB"}).adapters, Texts{});
  EXPECT_EQ(chosen({kIb, "Using network IBext_v8"}).adapters, (Texts{"mlx5_0:1/IB", "mlx5_1:1/IB"}))
      << "HPC-X";
  EXPECT_EQ(chosen({kIb, "Using network AWS Libfabric"}).adapters, Texts{});
  EXPECT_EQ(
      chosen({"NET/IB : Using [0]a:1/IB [1]b:2/RoCE ; OOB e:1<0>", "Using network IB"}).adapters,
      (Texts{"a:1/IB", "b:2/RoCE"}));
  EXPECT_EQ(chosen({kIb}).adapters, Texts{}) << "no communicator has taken them";
}

// NCCL 2.18 cuts a line at 1,024 bytes, and puts its end behind.
TEST(NcclLog, ACutListIsNotKnown) {
  for (std::size_t size = 20; size < kIb.find("; OOB"); ++size)
    EXPECT_EQ(chosen({kIb.substr(0, size), "Using network IB"}).adapters, Texts{}) << size;
  std::string sockets = "NET/Socket : Using [0]eth0:10.0.0.1<0> [1]eth1:10.0.";
  EXPECT_EQ(chosen({sockets, "Using network Socket"}).adapters, Texts{});
}

TEST(NcclLog, ALineWithoutItsEndIsLeftOut) {
  const std::string whole = log_of({"Channel 00/0 : 0[0] -> 2[0] [send] via NET/IB/0/GDRDMA"});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    NcclLogReader reader;
    reader.read(whole.substr(0, size), kTwoNodes);
    EXPECT_TRUE(reader.choice().empty()) << size;
  }
}

TEST(NcclLog, ChannelsCountOnlyWithTheRanksOfTheirGroup) {
  NcclLogReader reader;
  const std::string channel = log_of({"Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM"});
  reader.read(log_of({kIb, "Using network IB", kRings}) + channel, {});
  EXPECT_EQ(reader.choice().within, Texts{});
  EXPECT_EQ(reader.choice().adapters.size(), 2U);
  reader.read(log_of({kRings}) + channel, kOneNode);
  EXPECT_EQ(reader.choice().within, Texts{"NVLink"});
  reader.read(log_of({"Channel 00/0 : 0[0] -> 4[1] via SHM/direct/direct"}), kOneNode);
  EXPECT_EQ(reader.choice().within, Texts{"NVLink"}) << "there is no rank 4";
}

// Since 2.26 lines can have a time in front; ranks that share a file write in turn.
TEST(NcclLog, LinesOfSeveralRanksMayStandAmongOthers) {
  NcclLogReader reader;
  reader.read("[2026-11-29 21:00:00] a:1:2 [0] NCCL INFO " + kRings +
                  "\n\na:1:3 [1] transport/net.cc:12 NCCL WARN Call failed\nNCCL version 2.29.2\n"
                  "b:9:9 [1] NCCL INFO Channel 00/0 : 1[1] -> 0[0] via P2P/CUMEM/read\n" +
                  log_of({"Channel 00/0 : 2[0] -> 0[0] [receive] via NET/Socket/0"}),
              kTwoNodes);
  EXPECT_EQ(reader.choice().within, Texts{"NVLink"});
  EXPECT_EQ(reader.choice().between, Texts{"sockets"});
}

TEST(NcclLog, HostileBytesSayNothing) {
  const Texts lines{"Channel",
                    "Channel 00/0 : ",
                    "Channel 00/0 : 0[0] -> ",
                    "Channel 00/0 : 0[0] -> 1[1]",
                    "Channel 00/0 : 0[0] -> 1[1] via ",
                    "Channel 00/0 : -1[0] -> 1[1] via SHM/direct/direct",
                    "Channel 00/0 : 99999999999999999999[0] -> 1[1] via SHM/direct/direct",
                    "Channel 00/0 : 0[0] -> 1 via SHM/direct/direct",
                    "Channel 00/0 : 0[0] -> 2[0] [send] via NET/",
                    "Channel 00/0 : 0[0] -> 2[0] [send] via NET/IB",
                    "Channel 00/0 : 0[0] -> 2[0] [send] via NET//0",
                    "Channel 00/0 : 0[0] -> 2[0] [send] via NET/\x1b[31m/0",
                    "Channel 00/0 : 0[0] -> 2[0] [send] via NET/" + std::string(5000, 'x') + "/0",
                    "NET/\xff\xfe : Using [0]a:1/IB ; OOB x",
                    "NET/IB : Using [0]a\x07:1/IB ; OOB x",
                    "NET/IB : Using [0] [1 [] ; OOB x",
                    "Using network \x1b[0m",
                    "Using network " + std::string(1, '\0'),
                    "Pattern 4,",
                    "Pattern 4, crossNic 0, type "};
  EXPECT_TRUE(chosen(lines).empty());
  for (const std::string& line : lines) {
    for (std::size_t size = 0; size < std::min<std::size_t>(line.size(), 80); ++size)
      EXPECT_TRUE(chosen({line.substr(0, size)}).empty()) << line.substr(0, size);
  }
  Texts many{"Using network IB"};
  std::string list = "NET/IB : Using";
  for (int i = 0; i < 1000; ++i) {
    many.push_back("Channel 0 : 0[0] -> 2[0] [send] via NET/" + std::to_string(i) + "x/0");
    list += " [" + std::to_string(i) + "]m:1/IB";
  }
  many.push_back(list + " ; OOB eth0:1.2.3.4<0>");
  EXPECT_LE(chosen(many).between.size(), 64U);
  EXPECT_EQ(chosen(many).adapters, Texts{});
}

TEST(NcclLog, RanksOfOneMachineAddUp) {
  NcclChoice all{.host = {},
                 .within = {"shared memory"},
                 .between = {},
                 .adapters = {"b", "a"},
                 .unknown = {}};
  add(all, {.host = {},
            .within = {"NVLink", "shared memory"},
            .between = {"sockets"},
            .adapters = {"a", "c"},
            .unknown = "NCCL_DEBUG is set"});
  EXPECT_EQ(all.within, (Texts{"NVLink", "shared memory"}));
  EXPECT_EQ(all.between, Texts{"sockets"});
  EXPECT_EQ(all.adapters, (Texts{"b", "a", "c"}));
  EXPECT_EQ(all.unknown, "NCCL_DEBUG is set");
}

}  // namespace
}  // namespace scalemark::monitoring
