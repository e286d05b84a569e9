#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "core/launch/detect.h"
#include "core/launch/meeting_point.h"
#include "core/launch/slurm_lists.h"
#include "core/launch/variables.h"

namespace scalemark::launching {
namespace {

using Hosts = std::vector<std::string>;

TEST(ExpandNodelist, ReadsSlurmsNotation) {
  EXPECT_EQ(expand_nodelist("n[1-3,7],gpu-a[001-002]"),
            (Hosts{"n1", "n2", "n3", "n7", "gpu-a001", "gpu-a002"}));
  EXPECT_EQ(expand_nodelist("single"), Hosts{"single"});
  EXPECT_EQ(expand_nodelist("a,b.c"), (Hosts{"a", "b.c"}));
  EXPECT_EQ(expand_nodelist("r[1-2]n[08-09]x"), (Hosts{"r1n08x", "r1n09x", "r2n08x", "r2n09x"}));
  EXPECT_EQ(expand_nodelist("n[9-11]"), (Hosts{"n9", "n10", "n11"}));
}

TEST(ExpandNodelist, RefusesWhatIsNone) {
  for (const auto* text : {"", ",", "n[1-3", "n1-3]", "n[]", "n[a]", "n[3-1]", "n[1,,2]", "n[[1]]",
                           "a,,b", "n[0-99999999]", "n[0-999][0-999]"}) {
    EXPECT_EQ(expand_nodelist(text), std::nullopt) << text;
  }
}

TEST(CompressedNodelist, IsWhatExpandReads) {
  EXPECT_EQ(compressed_nodelist({"n003", "n001", "n002", "n007"}), "n[001-003,007]");
  EXPECT_EQ(compressed_nodelist({"n7"}), "n7");
  EXPECT_EQ(compressed_nodelist({"b", "a", "a"}), "a,b");
  EXPECT_EQ(compressed_nodelist({"n9", "n10", "n11"}), "n[9-11]");
  EXPECT_EQ(compressed_nodelist({"n9", "n010", "n99", "n100"}), "n[9,99],n[010,100]");
  EXPECT_EQ(compressed_nodelist({"n098", "n099", "n100"}), "n[098-100]");
  EXPECT_EQ(compressed_nodelist({"r1n2.east", "r1n3.east", "r2n2.east"}),
            "r1n[2-3].east,r2n2.east");
  EXPECT_EQ(compressed_nodelist({}), "");
  for (const Hosts& hosts : {Hosts{"gpu8", "n01", "n02", "n04", "x"}, Hosts{"a1b", "a2b", "a99"}}) {
    auto expanded = expand_nodelist(compressed_nodelist(hosts)).value();
    std::ranges::sort(expanded);
    EXPECT_EQ(expanded, hosts);
  }
}

TEST(TasksOnNode, ReadsRepeats) {
  EXPECT_EQ(tasks_on_node("2(x3),1", 0), 2);
  EXPECT_EQ(tasks_on_node("2(x3),1", 2), 2);
  EXPECT_EQ(tasks_on_node("2(x3),1", 3), 1);
  EXPECT_EQ(tasks_on_node("2(x3),1", 4), std::nullopt);
  EXPECT_EQ(tasks_on_node("8", 0), 8);
  for (const auto* text : {"", "x", "2(3)", "2(x)", "2(x3", "-1", "2(x0),3"}) {
    EXPECT_EQ(tasks_on_node(text, 0), std::nullopt) << text;
  }
}

TEST(ParseRendezvous, ReadsAddressesAndFiles) {
  EXPECT_EQ(parse_rendezvous("n1:29500")->port, 29500);
  EXPECT_EQ(parse_rendezvous("n1:29500")->host, "n1");
  EXPECT_EQ(parse_rendezvous("n1")->port, 0);
  EXPECT_EQ(parse_rendezvous("[fe80::1]:80")->host, "fe80::1");
  EXPECT_EQ(parse_rendezvous("[fe80::1]:80")->port, 80);
  EXPECT_EQ(parse_rendezvous("fe80::1")->host, "fe80::1");
  EXPECT_EQ(parse_rendezvous("file:/a b")->file, "/a b");
  for (const auto* text :
       {"", ":80", "n1:", "n1:0", "n1:65536", "n1:-1", "n1:8x", "file:", "[a", "a b:1", "[a]b"}) {
    EXPECT_FALSE(parse_rendezvous(text).has_value()) << text;
  }
}

TEST(RunId, DependsOnAddressPortAndJobOnly) {
  const auto id = [](const char* text) { return hashed_run_id(*parse_rendezvous(text)); };
  EXPECT_EQ(id("N1:80"), id("n1:80"));
  EXPECT_NE(id("n1:80"), id("n1:81"));
  EXPECT_NE(id("n1:80"), id("n2:80"));
  EXPECT_EQ(id("n1:80"), "1ea518905bb01ef6");  // FNV-1a of "n1:80"
  const auto address = *parse_rendezvous("n1:80");
  EXPECT_EQ(hashed_run_id(address, "1000/77"), hashed_run_id(address, "1000/77"));
  EXPECT_NE(hashed_run_id(address, "1000/77"), hashed_run_id(address, "1000/78"));
  EXPECT_NE(hashed_run_id(address, "1000/77"), hashed_run_id(address));
}

TEST(DerivedPort, StaysBelowTheEphemeralRange) {
  for (int i = 0; i < 1000; ++i) {
    const auto port = derived_port("job." + std::to_string(i));
    EXPECT_GE(port, 20000);
    EXPECT_LT(port, 32000);
  }
}

TEST(LauncherVariables, CoverEveryLauncherButNotTheJobsFacts) {
  for (const auto* name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "MASTER_ADDR",
        "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE", "SLURM_PROCID",
        "SLURM_STEP_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_NAMESPACE", "PET_NNODES",
        "MPI_LOCALRANKID", "SCALEMARK_RANK_SPEC"}) {
    EXPECT_TRUE(is_launcher_variable(name)) << name;
  }
  for (const auto* name : {"PATH", "SLURM_JOB_ID", "SCALEMARK_TORCH", "CUDA_VISIBLE_DEVICES",
                           "OMP_NUM_THREADS", "RANKS", "NCCL_DEBUG"}) {
    EXPECT_FALSE(is_launcher_variable(name)) << name;
  }
  EXPECT_EQ(without_launcher_variables({{"RANK", "1"}, {"PATH", "/bin"}}),
            (Environment{{"PATH", "/bin"}}));
}

TEST(MpiLauncherPid, IsTheNearestAncestorWithoutTheVariable) {
  EXPECT_EQ(mpi_launcher_pid("A_VARIABLE_THAT_NOBODY_SETS"), getppid());
}

}  // namespace
}  // namespace scalemark::launching
