#include "core/machine/places.h"

#include <gtest/gtest.h>

namespace scalemark::placement {
namespace {

// Sockets with so many cores of so many CPUs, numbered as Linux does on x86: the first CPUs of all
// cores, socket by socket, then the second ones. One memory node for each socket.
Topology machine(int packages, int cores, int cpus_of_core = 1) {
  Topology topology;
  const int all = packages * cores;
  for (int thread = 0; thread < cpus_of_core; ++thread) {
    for (int core = 0; core < all; ++core) {
      topology.cpus.push_back(
          {.id = thread * all + core, .core = core, .package = core / cores, .node = core / cores});
    }
  }
  return topology;
}

Topology only(Topology topology, const char* list) {
  const auto allowed = parse_cpu_list(list);
  std::erase_if(topology.cpus,
                [&](const Cpu& cpu) { return std::ranges::count(*allowed, cpu.id) == 0; });
  return topology;
}

// "0-3 4-7": the CPUs of each rank, with the memory node behind a colon.
std::string places(const Topology& topology, const Question& question) {
  const Answer answer = places_of_ranks(topology, question);
  std::string text;
  for (const Place& place : answer.places) {
    text += (text.empty() ? "" : " ") + cpu_list(place.cpus);
    if (place.memory_node) text += ":" + std::to_string(*place.memory_node);
  }
  return answer.problem.empty() ? text : answer.problem;
}

TEST(Places, NoneBindsNothing) {
  const Answer answer = places_of_ranks(machine(1, 2), {.bind = Bind::kNone, .ranks = 4});
  EXPECT_TRUE(answer.places.empty());
  EXPECT_EQ(answer.problem, "");
}

TEST(Places, CoresAreDividedInOrder) {
  EXPECT_EQ(places(machine(1, 8), {.bind = Bind::kCores, .ranks = 1}), "0-7");
  EXPECT_EQ(places(machine(1, 8), {.bind = Bind::kCores, .ranks = 2}), "0-3 4-7");
  EXPECT_EQ(places(machine(2, 4), {.bind = Bind::kCores, .ranks = 4}), "0-1 2-3 4-5 6-7");
}

TEST(Places, ARankHasAllThreadsOfItsCores) {
  EXPECT_EQ(places(machine(1, 4, 2), {.bind = Bind::kCores, .ranks = 2}), "0-1,4-5 2-3,6-7");
  EXPECT_EQ(places(machine(2, 2, 2), {.bind = Bind::kCores, .ranks = 4}), "0,4 1,5 2,6 3,7");
}

TEST(Places, CoresThatAreLeftOverStayFree) {
  EXPECT_EQ(places(machine(1, 8), {.bind = Bind::kCores, .ranks = 3}), "0-1 2-3 5-6");
  EXPECT_EQ(places(machine(1, 7), {.bind = Bind::kCores, .ranks = 4}), "0 1 3 5");
}

TEST(Places, OnlyAllowedCpusAreUsed) {
  EXPECT_EQ(places(only(machine(2, 4), "2-5"), {.bind = Bind::kCores, .ranks = 2}), "2-3 4-5");
  // Half a core is a core.
  EXPECT_EQ(places(only(machine(1, 4, 2), "0,2,4"), {.bind = Bind::kCores, .ranks = 2}), "0,4 2");
  EXPECT_EQ(places(only(machine(2, 4), "6-7"), {.bind = Bind::kNuma, .ranks = 2}), "6-7:1 6-7:1");
}

TEST(Places, MoreRanksThanCoresAreRefused) {
  EXPECT_EQ(places(machine(1, 2, 2), {.bind = Bind::kCores, .ranks = 3}),
            "3 ranks on this node, and 2 physical cores that this process may use (CPUs 0-3): each "
            "rank needs one of its own");
  EXPECT_EQ(places(only(machine(1, 4), "3"), {.bind = Bind::kCores, .ranks = 2}),
            "2 ranks on this node, and 1 physical core that this process may use (CPUs 3): each "
            "rank needs one of its own");
  EXPECT_NE(places_of_ranks({}, {.bind = Bind::kNuma, .ranks = 1}).problem, "");
}

TEST(Places, MemoryNodesAreTakenInTurn) {
  EXPECT_EQ(places(machine(1, 4), {.bind = Bind::kNuma, .ranks = 2}), "0-3:0 0-3:0");
  EXPECT_EQ(places(machine(2, 2, 2), {.bind = Bind::kNuma, .ranks = 3}),
            "0-1,4-5:0 2-3,6-7:1 0-1,4-5:0");
}

TEST(Places, ARankIsNearItsGpu) {
  const std::vector<std::optional<int>> gpus = {1, 1, 0, std::nullopt};
  EXPECT_EQ(places(machine(2, 2), {.bind = Bind::kNuma, .ranks = 4, .gpu_nodes = gpus}),
            "2-3:1 2-3:1 0-1:0 2-3:1");
  EXPECT_EQ(places(only(machine(2, 2), "0-1"), {.bind = Bind::kNuma, .ranks = 1, .gpu_nodes = {1}}),
            "the GPU of local rank 0 is at memory node 1, of whose CPUs this process may use none "
            "(it may use CPUs 0-1)");
}

TEST(Places, ThreadsFitIntoTheSmallestShare) {
  const auto fit = [](const Topology& topology, Bind bind, int ranks) {
    return threads_that_fit(places_of_ranks(topology, {.bind = bind, .ranks = ranks}).places);
  };
  EXPECT_EQ(fit(machine(1, 8), Bind::kNone, 2), std::nullopt);
  EXPECT_EQ(fit(machine(1, 8), Bind::kCores, 3), 2);
  EXPECT_EQ(fit(machine(1, 4, 2), Bind::kCores, 2), 4);
  EXPECT_EQ(fit(machine(2, 4), Bind::kNuma, 3), 2) << "two ranks share a node";
  EXPECT_EQ(fit(machine(1, 2), Bind::kNuma, 4), 1);
}

}  // namespace
}  // namespace scalemark::placement
