#include <gtest/gtest.h>

#include "core/settings/machine.h"
#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

// Two sockets of four cores of one CPU each, one memory node per socket.
Machine two_sockets(int cores = 8) {
  Machine machine{.cores = cores};
  for (int cpu = 0; cpu < 8; ++cpu) {
    machine.topology.cpus.push_back({.id = cpu, .core = cpu, .package = cpu / 4, .node = cpu / 4});
  }
  return machine;
}

int threads(const Machine& machine, const char* bind, const char* ranks) {
  const RawSettings raw{{"bind", {bind, "option"}}, {"nproc_per_node", {ranks, "option"}}};
  const Resolution resolution = resolve(raw, {.machine = machine});
  for (const Problem& problem : resolution.problems) ADD_FAILURE() << to_line(problem);
  return resolution.settings.parallel.threads;
}

TEST(Binding, AutomaticThreadsFitIntoTheBoundSet) {
  EXPECT_EQ(threads(two_sockets(), "none", "2"), 4);
  EXPECT_EQ(threads(two_sockets(), "cores", "2"), 4);
  EXPECT_EQ(threads(two_sockets(), "cores", "3"), 2);
  EXPECT_EQ(threads(two_sockets(), "numa", "1"), 4) << "one of two nodes, not all cores";
  EXPECT_EQ(threads(two_sockets(), "numa", "3"), 2);
  EXPECT_EQ(threads(two_sockets(2), "cores", "2"), 1) << "a quota of two CPUs";
}

// A sweep launches eight ranks and computes on two of them, too: each has one core all the time.
TEST(Binding, ThreadsFollowTheLaunchNotThePoint) {
  const auto machine = two_sockets();
  EXPECT_EQ(threads_per_rank(machine, placement::Bind::kCores, DeviceKind::kCpu, 8, 2), 1);
  EXPECT_EQ(threads_per_rank(machine, placement::Bind::kNone, DeviceKind::kCpu, 8, 2), 4);
}

TEST(Binding, OnGpusTheirMemoryNodesCount) {
  auto machine = two_sockets();
  machine.gpus = {{.name = "a", .capability = {}, .memory_node = 1}};
  const auto cpus = [&](DeviceKind device) {
    return place_ranks(machine, placement::Bind::kNuma, device, 1).places.front().memory_node;
  };
  EXPECT_EQ(cpus(DeviceKind::kCuda), 1);
  EXPECT_EQ(cpus(DeviceKind::kCpu), 0);
}

TEST(Binding, WhatCannotBeIsRefusedByName) {
  Settings settings;
  settings.origins["bind"] = "option";
  EXPECT_FALSE(impossible_binding(settings, two_sockets(), {9, 9}));
  settings.parallel.bind = placement::Bind::kCores;
  EXPECT_FALSE(impossible_binding(settings, two_sockets(), {8, 8}));
  const auto problem = impossible_binding(settings, two_sockets(), {9, 9});
  ASSERT_TRUE(problem);
  EXPECT_EQ(to_line(*problem),
            "--bind is 'cores' (from option); 9 ranks on this node, and 8 physical cores that this "
            "process may use (CPUs 0-7): each rank needs one of its own. Hint: leave --bind out; "
            "where a launcher has bound the ranks already, start them unbound (mpirun --bind-to "
            "none, srun --cpu-bind=none)");
}

}  // namespace
}  // namespace scalemark::settings
