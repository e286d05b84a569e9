// A launcher's variables of which one did not arrive: a container that passes some, a wrapper with
// a list of what it keeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/launch/detect.h"
#include "tests/core/launch/environments.h"

namespace scalemark::launching {
namespace {

// Where a rank of two nodes is, whose first has two ranks.
struct Place {
  int rank = 0, node = 0, local_rank = 0, local_world_size = 0;
};
std::vector<Place> places_of(int ranks) {
  std::vector<Place> places;
  for (int rank = 0; rank < ranks; ++rank) {
    const int node = rank / 2;
    places.push_back({rank, node, rank % 2, node == 0 ? 2 : ranks - 2});
  }
  return places;
}

Environment of_torchrun(const Place& at, const std::string& ranks) {
  return with(torchrun(), {{"RANK", std::to_string(at.rank)},
                           {"WORLD_SIZE", ranks},
                           {"LOCAL_RANK", std::to_string(at.local_rank)},
                           {"LOCAL_WORLD_SIZE", std::to_string(at.local_world_size)},
                           {"GROUP_RANK", std::to_string(at.node)}});
}

Environment of_slurm(const Place& at, const std::string& ranks) {
  return with(slurm(), {{"SLURM_PROCID", std::to_string(at.rank)},
                        {"SLURM_STEP_NUM_TASKS", ranks},
                        {"SLURM_LOCALID", std::to_string(at.local_rank)},
                        {"SLURM_NODEID", std::to_string(at.node)},
                        {"SLURM_STEP_NUM_NODES", "2"},
                        {"SLURM_STEP_TASKS_PER_NODE", ranks == "4" ? "2(x2)" : "2,1"}});
}

Environment of_open_mpi(const Place& at, const std::string& ranks) {
  return with(open_mpi(), {{"OMPI_COMM_WORLD_RANK", std::to_string(at.rank)},
                           {"OMPI_COMM_WORLD_SIZE", ranks},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", std::to_string(at.local_rank)},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(at.local_world_size)},
                           {"OMPI_COMM_WORLD_NODE_RANK", std::to_string(at.local_rank)},
                           {"PMIX_RANK", std::to_string(at.rank)},
                           {"MASTER_ADDR", "n1"},
                           {"MASTER_PORT", "29500"}});
}

Environment of_hydra(const Place& at, const std::string& ranks) {
  return with(hydra(), {{"PMI_RANK", std::to_string(at.rank)},
                        {"PMI_SIZE", ranks},
                        {"MPI_LOCALRANKID", std::to_string(at.local_rank)},
                        {"MPI_LOCALNRANKS", std::to_string(at.local_world_size)},
                        {"MASTER_ADDR", "n1"},
                        {"MASTER_PORT", "29500"}});
}

Environment of_flux(const Place& at, const std::string& ranks) {
  return with(flux(), {{"FLUX_TASK_RANK", std::to_string(at.rank)},
                       {"FLUX_JOB_SIZE", ranks},
                       {"FLUX_TASK_LOCAL_ID", std::to_string(at.local_rank)},
                       {"PMI_RANK", std::to_string(at.rank)},
                       {"PMI_SIZE", ranks},
                       {"MASTER_ADDR", "n1"},
                       {"MASTER_PORT", "29500"}});
}

Environment of_pals(const Place& at, const std::string& ranks) {
  return with(pals(), {{"PALS_RANKID", std::to_string(at.rank)},
                       {"PALS_LOCAL_RANKID", std::to_string(at.local_rank)},
                       {"PALS_NODEID", std::to_string(at.node)},
                       {"PMI_RANK", std::to_string(at.rank)},
                       {"PMI_SIZE", ranks},
                       {"PMI_LOCAL_RANK", std::to_string(at.local_rank)},
                       {"PMI_LOCAL_SIZE", std::to_string(at.local_world_size)},
                       {"MASTER_ADDR", "n1"},
                       {"MASTER_PORT", "29500"}});
}

Environment of_jsrun(const Place& at, const std::string& ranks) {
  return with(jsrun(), {{"JSM_NAMESPACE_RANK", std::to_string(at.rank)},
                        {"JSM_NAMESPACE_SIZE", ranks},
                        {"JSM_NAMESPACE_LOCAL_RANK", std::to_string(at.local_rank)},
                        {"JSM_NAMESPACE_LOCAL_SIZE", std::to_string(at.local_world_size)},
                        {"PMIX_RANK", std::to_string(at.rank)},
                        {"MASTER_ADDR", "n1"},
                        {"MASTER_PORT", "29500"}});
}

// Without the number of nodes, which ranks count once they have met.
std::vector<int> numbers_of(const World& world) {
  return {world.rank, world.world_size, world.local_rank, world.local_world_size, world.node};
}

using Launcher = Environment (*)(const Place&, const std::string&);

// Either every rank finds its place all the same, or one of them says what is missing: a rank that
// believes another place is a measurement of another run.
void expect_reported_or_the_same(const std::string& name, Launcher launcher, int ranks) {
  const auto places = places_of(ranks);
  const std::string count = std::to_string(ranks);
  std::vector<std::vector<int>> whole;
  std::set<std::string> variables;
  for (const Place& at : places) {
    const Environment environment = launcher(at, count);
    const auto detection = detect_in(environment);
    ASSERT_EQ(problems_of(detection), Lines{}) << name;
    EXPECT_EQ(detection.notes, Lines{}) << name;
    whole.push_back(numbers_of(detection.world));
    for (const auto& [variable, value] : environment) variables.insert(variable);
  }
  for (const std::string& variable : variables) {
    // docs/LAUNCHING.md: a process outside of a step is one process, as a batch script is.
    if (variable == "SLURM_STEP_ID") continue;
    bool reported = false;
    std::vector<std::vector<int>> found;
    for (const Place& at : places) {
      const auto detection = detect_in(without(launcher(at, count), {variable.c_str()}));
      reported = reported || !detection.problems.empty() || !detection.notes.empty();
      found.push_back(numbers_of(detection.world));
    }
    EXPECT_TRUE(reported || found == whole)
        << name << " with " << ranks << " ranks, no " << variable;
  }
}

TEST(PartialVariables, ALauncherMissesOne) {
  for (const int ranks : {4, 3}) {
    expect_reported_or_the_same("torchrun", of_torchrun, ranks);
    expect_reported_or_the_same("slurm", of_slurm, ranks);
    expect_reported_or_the_same("openmpi", of_open_mpi, ranks);
    expect_reported_or_the_same("pmi", of_hydra, ranks);
    expect_reported_or_the_same("pals", of_pals, ranks);
    expect_reported_or_the_same("jsrun", of_jsrun, ranks);
    if (ranks % 2 == 0) expect_reported_or_the_same("flux", of_flux, ranks);
  }
}

TEST(PartialVariables, APodMissesOne) {
  EXPECT_EQ(problems_of(detect_in(without(pod(), {"PET_NODE_RANK"}))).size(), 1u);
  EXPECT_EQ(problems_of(detect_in(without(pod(), {"PET_MASTER_ADDR"}))).size(), 1u);
  // The node rank is beyond the one node that is left.
  EXPECT_EQ(problems_of(detect_in(without(pod(), {"PET_NNODES"}))).size(), 1u);
  const auto alone = detect_in({{"PET_NODE_RANK", "1"}, {"PET_MASTER_ADDR", "job-worker-0"}});
  ASSERT_EQ(alone.notes.size(), 1u);
  EXPECT_TRUE(alone.notes[0].starts_with("PET_NODE_RANK=1 is set and not read"));
}

// The ranks of a node are those of the settings then, which have to know the nodes.
TEST(PartialVariables, APodThatDoesNotSayHowManyRanksItStarts) {
  Request request{.environment = without(pod(), {"PET_NPROC_PER_NODE"})};
  request.launch.nproc_per_node = 3;
  const auto detection = detect(request);
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->nproc_per_node, 3);
  EXPECT_EQ(nodes_of_pod(detection), 2);
}

TEST(PartialVariables, OnlyAPodsNumberOfNodesIsOne) {
  EXPECT_EQ(nodes_of_pod(detect_in(pod())), 2);
  EXPECT_EQ(nodes_of_pod(detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "1"}}))), 2);
  EXPECT_EQ(nodes_of_pod(detect_in({{"PET_NNODES", "1"}})), 1);
  EXPECT_EQ(nodes_of_pod(detect_in(with(pod(), {{"PET_NNODES", "1:4"}}))), std::nullopt);
  EXPECT_EQ(nodes_of_pod(detect_in({})), std::nullopt);
  EXPECT_EQ(nodes_of_pod(detect_in(with(pod(), torchrun()))), std::nullopt);
  Request request{.environment = pod(), .origins = {{"nnodes", "option"}}};
  request.launch.nnodes = 4;
  EXPECT_EQ(nodes_of_pod(detect(request)), std::nullopt);
  EXPECT_EQ(detect(request).node->nnodes, 4);
}

}  // namespace
}  // namespace scalemark::launching
