#include "tests/core/launch/environments.h"

#include <gtest/gtest.h>

#include <utility>

namespace scalemark::launching {

Detection detect_in(Environment environment) {
  return detect({.environment = std::move(environment)});
}

Lines problems_of(const Detection& detection) {
  Lines lines;
  for (const auto& problem : detection.problems) {
    lines.push_back(problem.what + "; " + problem.expected);
  }
  return lines;
}

void expect_world(const Detection& detection, const World& expected) {
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_FALSE(detection.node.has_value());
  const World& world = detection.world;
  EXPECT_EQ(world.launcher, expected.launcher);
  EXPECT_EQ(world.rank, expected.rank);
  EXPECT_EQ(world.world_size, expected.world_size);
  EXPECT_EQ(world.local_rank, expected.local_rank);
  EXPECT_EQ(world.local_world_size, expected.local_world_size);
  EXPECT_EQ(world.node, expected.node);
  EXPECT_EQ(world.nodes, expected.nodes);
}

Environment torchrun() {
  return {{"RANK", "5"},
          {"WORLD_SIZE", "8"},
          {"LOCAL_RANK", "1"},
          {"LOCAL_WORLD_SIZE", "4"},
          {"GROUP_RANK", "1"},
          {"GROUP_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "n1"},
          {"MASTER_PORT", "29400"},
          {"TORCHELASTIC_RUN_ID", "job7"},
          {"TORCHELASTIC_RESTART_COUNT", "0"},
          {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
}

Environment slurm() {
  return {{"SLURM_JOB_ID", "4711"},
          {"SLURM_STEP_ID", "2"},
          {"SLURM_PROCID", "3"},
          {"SLURM_STEP_NUM_TASKS", "5"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NODEID", "1"},
          {"SLURM_STEP_NUM_NODES", "3"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
          {"SLURM_STEP_NODELIST", "gpu-a[003-004,9]"},
          {"SLURM_LAUNCH_NODE_IPADDR", "10.9.9.9"},
          {"SLURM_NTASKS", "64"}};
}

Environment open_mpi() {
  return {{"OMPI_COMM_WORLD_RANK", "1"},
          {"OMPI_COMM_WORLD_SIZE", "2"},
          {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
          {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
          {"OMPI_COMM_WORLD_NODE_RANK", "1"},
          {"PMIX_NAMESPACE", "3141592653"},
          {"PMIX_RANK", "1"}};
}

Environment hydra() {
  return {{"PMI_RANK", "1"},
          {"PMI_SIZE", "2"},
          {"PMI_FD", "9"},
          {"MPI_LOCALRANKID", "1"},
          {"MPI_LOCALNRANKS", "2"}};
}

Environment pod() {
  return {{"PET_NNODES", "2"},
          {"PET_NODE_RANK", "1"},
          {"PET_NPROC_PER_NODE", "4"},
          {"PET_MASTER_ADDR", "job-worker-0"},
          {"PET_MASTER_PORT", "23456"}};
}

Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

Environment without(Environment environment, std::initializer_list<const char*> names) {
  for (const char* name : names) environment.erase(name);
  return environment;
}

}  // namespace scalemark::launching
