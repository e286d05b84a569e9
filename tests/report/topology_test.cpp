// Which switch a node hangs on, by the texts of Slurm and ibnetdiscover, and which texts are
// refused.
#include "report/accept/topology.h"

#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"

namespace scalemark::acceptance {
namespace {

using Leaves = std::vector<std::string>;

Topology topology_in(const std::string& text) { return parse_topology(text, "topo"); }

Part part_named(const std::string& host, const std::string& scheduler_node = "") {
  Part part;
  part.host = host;
  part.scheduler_node = scheduler_node;
  return part;
}

std::string topology_refusal(const std::string& text) {
  try {
    topology_in(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData) << text;
    const std::string line = format_error_line(error.record());
    EXPECT_EQ(line.find_first_of("\n\r\x1b"), std::string::npos) << line;
    return line;
  }
  return "";
}

TEST(TopologyText, OfSlurmsFile) {
  const Topology topology = topology_in(
      "# Two leaves\n"
      "SwitchName=leaf1 Nodes=n[001-003] # rack 1\r\n"
      "\n"
      "switchname=leaf2  \\\n"
      "   NODES=n004,gpu-a[1-2] \\\n"
      "   LinkSpeed=100\n"
      "SwitchName=spine Switches=leaf[1-2]\n");
  EXPECT_EQ(topology.leaves, (std::map<std::string, Leaves>{{"n001", {"leaf1"}},
                                                            {"n002", {"leaf1"}},
                                                            {"n003", {"leaf1"}},
                                                            {"n004", {"leaf2"}},
                                                            {"gpu-a1", {"leaf2"}},
                                                            {"gpu-a2", {"leaf2"}}}));
}

// scontrol lists all nodes below a switch, those of spines too.
TEST(TopologyText, OfScontrol) {
  const Topology topology = topology_in(
      "SwitchName=leaf1 Level=0 LinkSpeed=1 Nodes=n[1-2]\n"
      "SwitchName=leaf2 Level=0 LinkSpeed=1 Nodes=n[3-4]\n"
      "SwitchName=spine Level=1 LinkSpeed=1 Nodes=n[1-4] Switches=leaf[1-2]\n"
      "SwitchName=unused Level=0 LinkSpeed=1 Nodes=(null)\n");
  ASSERT_TRUE(topology.leaves_of(part_named("n3")));
  EXPECT_EQ(*topology.leaves_of(part_named("n3")), Leaves{"leaf2"});
  EXPECT_EQ(topology.leaves.size(), 4U);
}

TEST(TopologyText, IsOfANodeByEitherName) {
  const Topology topology = topology_in("SwitchName=l Nodes=node1,n2\n");
  EXPECT_TRUE(topology.leaves_of(part_named("node1")));
  EXPECT_TRUE(topology.leaves_of(part_named("node1.cluster.example")));
  EXPECT_TRUE(topology.leaves_of(part_named("node2", "n2")));
  EXPECT_FALSE(topology.leaves_of(part_named("node3", "n3")));
  EXPECT_FALSE(topology.leaves_of(part_named("node3")));
}

constexpr const char* kFabric =
    "#\n# Topology file: generated on Sun Nov 29 12:00:00 2026\n#\n"
    "# Initiated from node 00000000000000a1 port 00000000000000a2\n\n"
    "vendid=0x1\ndevid=0x2\nsysimgguid=0x10\nswitchguid=0x10(10)\n"
    "Switch\t40 \"S-0000000000000010\"\t\t# \"leaf one\" enhanced port 0 lid 4 lmc 0\n"
    "[1]\t\"H-00000000000000a1\"[1](a2) \t\t# \"node001 mlx5_0\" lid 5 4xHDR\n"
    "[2]\t\"H-00000000000000b1\"[1](b2) \t\t# \"node002 HCA-1\" lid 6 4xHDR\n"
    "[39]\t\"S-0000000000000030\"[1]\t\t# \"Made Up Switch\" lid 9 4xHDR\n"
    "[40]\t\"H-00000000000000f1\"[1](f2) \t\t# \"Made Up Aggregation Node\" lid 7 4xHDR\n\n"
    "vendid=0x1\ndevid=0x2\nswitchguid=0x20(20)\n"
    "Switch\t40 \"S-0000000000000020\"\t\t# \"Made Up Switch\" base port 0 lid 8 lmc 0\n"
    "[1]\t\"H-00000000000000c1\"[1](c2) \t\t# \"node001 mlx5_10\" lid 10 4xHDR\n"
    "[2]\t\"H-00000000000000d1\"[1](d2) \t\t# \"node001 mlx5_2\" lid 11 4xHDR\n\n"
    "switchguid=0x30(30)\n"
    "Switch\t40 \"S-0000000000000030\"\t\t# \"Made Up Switch\" base port 0 lid 9 lmc 0\n"
    "[1]\t\"S-0000000000000010\"[39]\t\t# \"leaf one\" lid 4 4xHDR\n\n"
    "vendid=0x1\ndevid=0x3\ncaguid=0xa1\n"
    "Ca\t1 \"H-00000000000000a1\"\t\t# \"node001 mlx5_0\"\n"
    "[1](a2) \t\"S-0000000000000010\"[1]\t\t# lid 5 lmc 0 \"leaf one\" lid 4 4xHDR\n";

TEST(TopologyText, OfIbnetdiscover) {
  const Topology topology = topology_in(kFabric);
  const std::string second = "Made Up Switch (S-0000000000000020)";
  ASSERT_TRUE(topology.leaves_of(part_named("node001.example")));
  EXPECT_EQ(*topology.leaves_of(part_named("node001")), (Leaves{"leaf one", second, second}))
      << "mlx5_0, mlx5_2, mlx5_10";
  EXPECT_EQ(*topology.leaves_of(part_named("node002")), Leaves{"leaf one"});
}

TEST(TopologyText, IsRefusedWhereItIsOfNoKnownForm) {
  for (const std::string text :
       {"", "{}", "No topology information available\n", "BlockName=b1 Nodes=n[1-4]\n", "<html>",
        "Ca : 0x01 ports 1 devid 0x1 vendid 0x2 \"node001 mlx5_0\"\n"}) {
    const std::string line = topology_refusal(text);
    EXPECT_NE(line.find("'topo' is no topology"), std::string::npos) << text << ": " << line;
    EXPECT_NE(line.find("scontrol show topology"), std::string::npos) << line;
    EXPECT_NE(line.find("ibnetdiscover"), std::string::npos) << line;
  }
  EXPECT_NE(
      topology_refusal("SwitchName=spine Switches=leaf[1-2]\n").find("no node behind a switch"),
      std::string::npos);
}

TEST(TopologyText, IsRefusedWithItsLine) {
  const std::string good = "SwitchName=a Nodes=n1\n";
  for (const std::string bad :
       {"SwitchName=b Nodes=n[1-", "SwitchName=b Nodes=$(reboot)", "SwitchName=b Nodes=-rf",
        "SwitchName= Nodes=n2", "SwitchName=b Nodes", "Nodes=n2", "SwitchName=b\x1b[2J Nodes=n2",
        "SwitchName=b\u202e Nodes=n2", "SwitchName=\xff Nodes=n2",
        "SwitchName=b Nodes=n[1-99999]"}) {
    const std::string line = topology_refusal(good + bad + "\n");
    EXPECT_NE(line.find("'topo', line 2: "), std::string::npos) << bad << ": " << line;
  }
  EXPECT_NE(
      topology_refusal("SwitchName=a Nodes=n1\nSwitchName=" + std::string(300, 'x') + " Nodes=n2\n")
          .find("line 2"),
      std::string::npos);
  const std::string fabric = kFabric;
  EXPECT_NE(topology_refusal(fabric.substr(0, fabric.find("mlx5_0"))).find("is cut off"),
            std::string::npos);
  std::string odd = fabric;
  odd.replace(odd.find("leaf one"), 4,
              "le\x07"
              "f");
  EXPECT_NE(topology_refusal(odd).find("a control character"), std::string::npos);
}

TEST(TopologyText, IsRefusedWhereItIsTooLarge) {
  std::string many;
  for (int i = 0; i < 17; ++i)
    many += "SwitchName=s" + std::to_string(i) + " Nodes=n[00001-65536]\n";
  EXPECT_NE(topology_refusal(many).find("nodes and adapters"), std::string::npos);
  EXPECT_NE(topology_refusal(std::string((64 << 20) + 1, '#')).find("larger than"),
            std::string::npos);
}

}  // namespace
}  // namespace scalemark::acceptance
