#include <gtest/gtest.h>

#include "core/launch/detect.h"
#include "core/launch/meeting_point.h"
#include "tests/core/launch/environments.h"

namespace scalemark::launching {
namespace {

TEST(Detect, SlurmStep) {
  const auto detection = detect_in(slurm());
  expect_world(detection, {3, 5, 1, 2, 1, 3, "slurm"});
  EXPECT_EQ(detection.rendezvous.host, "gpu-a003");
  EXPECT_EQ(detection.rendezvous.run_id, "4711.2");
  EXPECT_EQ(detection.rendezvous.port, derived_port("4711.2"));
  const auto& from = detection.world.detected_from;
  EXPECT_EQ(from.at("rank"), "SLURM_PROCID");
  EXPECT_EQ(from.at("rendezvous"), "SLURM_STEP_NODELIST");
  EXPECT_EQ(from.at("port"), "run id");
}

TEST(Detect, EveryRankOfASlurmStepDerivesTheSameMeetingPoint) {
  const auto one = detect_in(slurm()).rendezvous;
  const auto other = detect_in(
      with(slurm(), {{"SLURM_PROCID", "4"}, {"SLURM_LOCALID", "0"}, {"SLURM_NODEID", "2"}}));
  expect_world(other, {4, 5, 0, 1, 2, 3, "slurm"});
  EXPECT_EQ(one.host, other.rendezvous.host);
  EXPECT_EQ(one.port, other.rendezvous.port);
}

TEST(Detect, MasterPortWinsOverTheDerivedOne) {
  EXPECT_EQ(detect_in(with(slurm(), {{"MASTER_PORT", "12345"}})).rendezvous.port, 12345);
}

TEST(Detect, ABatchScriptWithoutSrunIsNoStep) {
  expect_world(detect_in(without(slurm(), {"SLURM_STEP_ID"})), {.launcher = "single"});
  // salloc's interactive step
  expect_world(detect_in(with(slurm(), {{"SLURM_STEP_ID", "4294967290"}})), {.launcher = "single"});
}

TEST(Detect, OpenMpi) {
  const auto detection = detect_in(open_mpi());
  expect_world(detection, {1, 2, 1, 2, 0, 1, "openmpi"});
  EXPECT_EQ(detection.rendezvous.host, "127.0.0.1");
  EXPECT_EQ(detection.rendezvous.run_id, "3141592653");
  EXPECT_EQ(detection.rendezvous.port, derived_port("3141592653"));
}

TEST(Detect, OpenMpiOverTwoNodesNeedsAnAddress) {
  const auto two_nodes =
      with(open_mpi(), {{"OMPI_COMM_WORLD_LOCAL_SIZE", "1"}, {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}});
  EXPECT_EQ(problems_of(detect_in(two_nodes)),
            Lines{"no address where the ranks meet; every rank needs the same one"});
  Request request{.environment = two_nodes};
  request.launch.rendezvous = "file:/shared/meet";
  const auto by_file = detect(request);
  expect_world(by_file, {1, 2, 0, 1, 1, 2, "openmpi"});
  EXPECT_EQ(by_file.rendezvous.kind, Rendezvous::Kind::kFile);
  EXPECT_EQ(by_file.rendezvous.file, "/shared/meet");
  request.launch.rendezvous = "n1";
  EXPECT_EQ(detect(request).rendezvous.port, derived_port("3141592653"));
}

TEST(Detect, Hydra) {
  Request request{.environment = hydra(), .launcher_pid = 77};
  const auto detection = detect(request);
  expect_world(detection, {1, 2, 1, 2, 0, 1, "pmi"});
  EXPECT_EQ(detection.rendezvous.run_id, "pmi-77");
  EXPECT_EQ(detection.rendezvous.port, derived_port("pmi-77"));
}

TEST(Detect, PmiWithoutALocalRankSaysWhichOptionReplacesIt) {
  const auto flux = without(hydra(), {"MPI_LOCALRANKID", "MPI_LOCALNRANKS"});
  ASSERT_EQ(problems_of(detect_in(flux)).size(), 1u);
  EXPECT_EQ(detect_in(flux).problems[0].hint, "give --local-rank");
  Request request{.environment = flux};
  request.launch.local_rank = 1;
  request.launch.rendezvous = "127.0.0.1:29500";
  expect_world(detect(request), {1, 2, 1, 2, 0, 1, "pmi"});
}

TEST(Detect, TwoHydraJobsThatNothingTellsApartNeedAPort) {
  const auto detection = detect_in(hydra());
  EXPECT_EQ(problems_of(detection),
            Lines{"no port for the rendezvous at 127.0.0.1; HOST:PORT or a run id"});
}

TEST(Detect, MpirunInsideASlurmAllocationIsNotTheStepOfItsDaemons) {
  const auto daemons = with(open_mpi(), {{"SLURM_JOB_ID", "1"},
                                         {"SLURM_STEP_ID", "0"},
                                         {"SLURM_PROCID", "0"},
                                         {"SLURM_LOCALID", "0"},
                                         {"SLURM_STEP_NUM_TASKS", "1"},
                                         {"SLURM_STEP_NODELIST", "n2"}});
  expect_world(detect_in(daemons), {1, 2, 1, 2, 0, 1, "openmpi"});
}

TEST(Detect, APodIsANodeThatStartsItsOwnRanks) {
  const auto detection = detect_in(pod());
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->launcher, "kubernetes");
  EXPECT_EQ(detection.node->nproc_per_node, 4);
  EXPECT_EQ(detection.node->nnodes, 2);
  EXPECT_EQ(detection.node->node_rank, 1);
  EXPECT_EQ(detection.node->rendezvous.host, "job-worker-0");
  EXPECT_EQ(detection.node->rendezvous.port, 23456);
  EXPECT_EQ(detection.node->detected_from.at("nnodes"), "PET_NNODES");
}

TEST(Detect, APodWithOneRankIsThatRank) {
  const auto detection = detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "1"}}));
  expect_world(detection, {1, 2, 0, 1, 1, 2, "kubernetes"});
  EXPECT_EQ(detection.rendezvous.port, 23456);
}

TEST(Detect, RankAndWorldSizeOfThePodAreNotTheRanks) {
  const auto detection = detect_in(with(pod(), {{"RANK", "1"}, {"WORLD_SIZE", "8"}}));
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->nproc_per_node, 4);
}

TEST(Detect, TorchrunInsideAPod) {
  EXPECT_EQ(detect_in(with(pod(), torchrun())).world.launcher, "torch");
}

TEST(Detect, RefusesElasticRangesAndWordsInPet) {
  EXPECT_EQ(problems_of(detect_in(with(pod(), {{"PET_NNODES", "1:4"}}))).at(0),
            "PET_NNODES=1:4; one number: a run does not grow or shrink");
  EXPECT_EQ(detect_in(with(pod(), {{"PET_NNODES", "2:2"}})).node->nnodes, 2);
  EXPECT_EQ(problems_of(detect_in(with(pod(), {{"PET_NPROC_PER_NODE", "cpu"}}))).at(0),
            "PET_NPROC_PER_NODE=cpu; a number, auto or gpu");
  Request request{.environment = with(pod(), {{"PET_NPROC_PER_NODE", "auto"}}),
                  .auto_nproc_per_node = 8};
  EXPECT_EQ(detect(request).node->nproc_per_node, 8);
}

}  // namespace
}  // namespace scalemark::launching
