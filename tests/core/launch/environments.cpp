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

// `flux run` sets these: flux-environment(7),
// https://flux-framework.readthedocs.io/projects/flux-core, "JOB ENVIRONMENT". Nothing of it was
// run here: Debian and PyPI have no flux-core.
Environment flux() {
  return {{"FLUX_JOB_ID", "f2VtS3Uk"},
          {"FLUX_JOB_SIZE", "8"},
          {"FLUX_JOB_NNODES", "2"},
          {"FLUX_TASK_RANK", "5"},
          {"FLUX_TASK_LOCAL_ID", "1"},
          {"FLUX_URI", "local:///run/flux/local"},
          {"PMI_RANK", "5"},
          {"PMI_SIZE", "8"},
          {"PMI_FD", "9"}};
}

// PALS's mpiexec sets these, by the names that Slurm's plugin mpi/cray_shasta sets in its place
// (github.com/SchedMD/slurm, src/plugins/mpi/cray_shasta/mpi_cray_shasta.c) and
// https://docs.alcf.anl.gov/aurora/running-jobs-aurora shows.
Environment pals() {
  return {{"PALS_APID", "1b2c-4d"},
          {"PALS_RANKID", "13"},
          {"PALS_LOCAL_RANKID", "1"},
          {"PALS_NODEID", "1"},
          {"PALS_SPOOL_DIR", "/var/run/palsd/1b2c-4d"},
          {"PMI_RANK", "13"},
          {"PMI_SIZE", "24"},
          {"PMI_LOCAL_RANK", "1"},
          {"PMI_LOCAL_SIZE", "12"},
          {"PBS_JOBID", "7.aurora"}};
}

// IBM's jsrun sets these; Spectrum MPI would add OMPI_COMM_WORLD_*:
// https://lightning.ai/docs/pytorch/stable/api/pytorch_lightning.plugins.environments.LSFEnvironment
Environment jsrun() {
  return {{"LSB_JOBID", "1234"},
          {"LSB_MCPU_HOSTS", "batch1 1 a1n1 6 a1n2 6"},
          {"JSM_NAMESPACE_RANK", "7"},
          {"JSM_NAMESPACE_SIZE", "12"},
          {"JSM_NAMESPACE_LOCAL_RANK", "1"},
          {"JSM_NAMESPACE_LOCAL_SIZE", "6"},
          {"PMIX_NAMESPACE", "7"},
          {"PMIX_RANK", "7"}};
}

// github.com/kubernetes-sigs/lws, docs/reference/labels-annotations-and-environment-variables.
Environment leader_worker_set() {
  return {{"LWS_LEADER_ADDRESS", "train-0.train.default"},
          {"LWS_GROUP_SIZE", "4"},
          {"LWS_WORKER_INDEX", "2"}};
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
