#include "core/settings/processes.h"

#include <gtest/gtest.h>

#include "core/settings/resolve.h"

namespace scalemark::settings {
namespace {

RawSettings given_processes(std::initializer_list<std::pair<const char*, const char*>> values) {
  RawSettings raw;
  for (const auto& [name, text] : values) raw[name] = {text, "option"};
  return raw;
}

Settings resolved_processes(const RawSettings& raw, std::optional<RankCount> ranks = {}) {
  const Resolution resolution = resolve(raw, {.machine = {.cores = 4}, .ranks = ranks});
  for (const Problem& problem : resolution.problems) ADD_FAILURE() << to_line(problem);
  return resolution.settings;
}

const RawSettings kDedicated = given_processes(
    {{"strategy", "parameter-server"}, {"server", "dedicated"}, {"nproc_per_node", "2"}});

TEST(Processes, AreOneForEachRankAndOneMoreForADedicatedServer) {
  EXPECT_EQ(process_count(processes_in({}), 3), 3);
  EXPECT_EQ(process_count(processes_in(given_processes({{"strategy", "parameter-server"}})), 3), 3);
  EXPECT_EQ(process_count(processes_in(kDedicated), 3), 4);
  EXPECT_EQ(process_count(
                processes_in(given_processes({{"strategy", "ddp"}, {"server", "dedicated"}})), 3),
            3);
  EXPECT_EQ(process_count({.count = catalogue::ProcessCount::kOne}, 3), 1);
}

// The ranks that it starts must find the settings that it had.
TEST(Processes, TheBuiltInLauncherStartsTheServerBesideTheRanks) {
  const Settings first = resolved_processes(kDedicated);
  EXPECT_EQ(world_size_of(first), 2);
  EXPECT_EQ(first.parallel.threads, 1) << "3 processes on 4 cores";
  EXPECT_EQ(launch_of(first).nproc_per_node, 3);
  const auto ranks = training_ranks(first, 3);
  EXPECT_FALSE(ranks.problem);
  EXPECT_EQ(world_size_of(resolved_processes(kDedicated, RankCount{ranks.world_size, 3})), 2);
  RawSettings on_two_nodes = kDedicated;
  on_two_nodes["nnodes"] = {"2", "option"};
  EXPECT_EQ(launch_of(resolved_processes(on_two_nodes)).nproc_per_node, 2)
      << "one of the four is the server";
}

TEST(Processes, AServerAloneIsRefused) {
  const auto ranks = training_ranks(resolved_processes(kDedicated), 1);
  ASSERT_TRUE(ranks.problem);
  EXPECT_EQ(to_line(*ranks.problem),
            "--server is 'dedicated' (from option); needs a process beside the training ranks, and "
            "1 is launched. Hint: start one more, or use --server rank0");
  EXPECT_EQ(training_ranks(resolved_processes(given_processes({})), 5).world_size, 5);
}

TEST(Processes, ReplicasAreOneProcess) {
  const RawSettings raw = given_processes({{"strategy", "data-parallel"}, {"nproc_per_node", "2"}});
  const Settings first = resolved_processes(raw);
  EXPECT_EQ(world_size_of(first), 2);
  EXPECT_EQ(first.parallel.threads, 2) << "of each replica, on 4 cores";
  EXPECT_EQ(launch_of(first).nproc_per_node, 1);
  EXPECT_EQ(training_ranks(first, 1).world_size, 2);
  const auto two = training_ranks(first, 2);
  ASSERT_TRUE(two.problem);
  EXPECT_EQ(to_line(*two.problem),
            "--strategy is 'data-parallel' (from option); is one process with all replicas, and 2 "
            "are launched. Hint: start one process on one node; --nproc-per-node is the number of "
            "its replicas");
}

TEST(Processes, AServerIsForOneStrategy) {
  const Resolution resolution = resolve(
      given_processes({{"strategy", "ddp"}, {"server", "dedicated"}, {"nproc_per_node", "2"}}),
      {.machine = {.cores = 4}});
  ASSERT_EQ(resolution.problems.size(), 1u);
  EXPECT_EQ(to_line(resolution.problems[0]),
            "--server is 'dedicated' (from option); has no effect with --strategy ddp. Hint: leave "
            "--server out");
}

}  // namespace
}  // namespace scalemark::settings
