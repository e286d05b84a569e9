#include "core/machine/topology.h"

#include <gtest/gtest.h>

#include "tests/core/machine/fake_root.h"

namespace scalemark::monitoring {
namespace {

std::string in_words(const placement::Topology& topology) {
  std::string text;
  for (const auto& cpu : topology.cpus) {
    text += std::to_string(cpu.id) + ": core " + std::to_string(cpu.core) + " package " +
            std::to_string(cpu.package) + " node " + std::to_string(cpu.node) + "\n";
  }
  return text;
}

void write_cpu(const FakeRoot& root, int cpu, const std::string& siblings, int package,
               const std::string& siblings_file = "core_cpus_list") {
  const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
  root.write(folder + siblings_file, siblings + "\n");
  root.write(folder + "physical_package_id", std::to_string(package) + "\n");
}

// Two sockets of two cores of two CPUs; the process may not use CPUs 0 and 5.
TEST(Topology, IsReadOfAllowedCpus) {
  FakeRoot root;
  root.write("proc/self/status", "Name:\tx\nCpus_allowed:\tde\nCpus_allowed_list:\t1-4,6-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const int core = cpu % 4;
    write_cpu(root, cpu, std::to_string(core) + "," + std::to_string(core + 4), core / 2);
  }
  root.write("sys/devices/system/node/online", "0-1\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-1,4-5\n");
  root.write("sys/devices/system/node/node1/cpulist", "2-3,6-7\n");
  EXPECT_EQ(in_words(read_topology(root.path())),
            "1: core 1 package 0 node 0\n2: core 2 package 1 node 1\n3: core 3 package 1 node 1\n"
            "4: core 0 package 0 node 0\n6: core 2 package 1 node 1\n7: core 3 package 1 node 1\n");
}

TEST(Topology, OlderKernelsNameTheFileOtherwise) {
  FakeRoot root;
  root.write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  for (int cpu = 0; cpu < 2; ++cpu) write_cpu(root, cpu, "0-1", 0, "thread_siblings_list");
  EXPECT_EQ(in_words(read_topology(root.path())),
            "0: core 0 package 0 node 0\n1: core 0 package 0 node 0\n");
}

TEST(Topology, WhatTheKernelDoesNotReportIsTheSimplestMachine) {
  FakeRoot root;
  root.write("proc/self/status", "Cpus_allowed_list:\t0-1\n");
  root.write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");
  EXPECT_EQ(in_words(read_topology(root.path())),
            "0: core 0 package 0 node 0\n1: core 1 package 0 node 0\n");
  EXPECT_TRUE(read_topology(root.path() / "nowhere").cpus.empty());
}

TEST(Topology, ThisMachineHasCpus) {
  EXPECT_FALSE(read_topology().cpus.empty());
  EXPECT_NE(allowed_cpus(), "");
}

TEST(Topology, TheMemoryNodeOfAGpuIsThatOfItsAddress) {
  FakeRoot root;
  root.write("sys/bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
  root.write("sys/bus/pci/devices/0000:5e:00.0/numa_node", "-1\n");
  EXPECT_EQ(memory_node_of_pci("00000000:3B:00.0", root.path()), 1);
  EXPECT_EQ(memory_node_of_pci("0000:3b:00.0", root.path()), 1);
  EXPECT_FALSE(memory_node_of_pci("00000000:5E:00.0", root.path())) << "the kernel does not know";
  EXPECT_FALSE(memory_node_of_pci("00000000:AA:00.0", root.path()));
  EXPECT_FALSE(memory_node_of_pci("", root.path()));
}

}  // namespace
}  // namespace scalemark::monitoring
