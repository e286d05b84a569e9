#include "core/launching/detect.h"

#include <gtest/gtest.h>

#include "core/launching/meeting_point.h"
#include "core/launching/rank_spec.h"

namespace scalemark::launching {
namespace {

Detection detect_in(Environment environment) {
  return detect({.environment = std::move(environment)});
}

// Every problem as "what; expected".
std::vector<std::string> problems_of(const Detection& detection) {
  std::vector<std::string> lines;
  for (const auto& problem : detection.problems) {
    lines.push_back(problem.what + "; " + problem.expected);
  }
  return lines;
}

using Lines = std::vector<std::string>;

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

TEST(Detect, ALonelyProcessIsAWorldOfOne) {
  const auto detection = detect_in({{"HOME", "/home/a"}});
  expect_world(detection, {.launcher = "single"});
  EXPECT_EQ(detection.rendezvous.kind, Rendezvous::Kind::kNone);
  EXPECT_EQ(detection.rendezvous.run_id, "none");
}

TEST(Detect, Torchrun) {
  const auto detection = detect_in(torchrun());
  expect_world(detection, {5, 8, 1, 4, 1, 2, "torch"});
  EXPECT_EQ(detection.rendezvous.kind, Rendezvous::Kind::kTcp);
  EXPECT_EQ(detection.rendezvous.host, "n1");
  EXPECT_EQ(detection.rendezvous.port, 29400);
  EXPECT_TRUE(detection.rendezvous.agent_store);
  EXPECT_EQ(detection.rendezvous.run_id, "job7");
  const auto& from = detection.world.detected_from;
  EXPECT_EQ(from.at("rank"), "RANK");
  EXPECT_EQ(from.at("local_world_size"), "LOCAL_WORLD_SIZE");
  EXPECT_EQ(from.at("node"), "GROUP_RANK");
  EXPECT_EQ(from.at("rendezvous"), "MASTER_ADDR, MASTER_PORT");
  EXPECT_EQ(from.at("run_id"), "TORCHELASTIC_RUN_ID");
}

TEST(Detect, TorchElasticIdNoneIsNoId) {
  const auto detection = detect_in(with(torchrun(), {{"TORCHELASTIC_RUN_ID", "none"}}));
  Rendezvous address{.kind = Rendezvous::Kind::kTcp, .host = "n1", .port = 29400};
  EXPECT_EQ(detection.rendezvous.run_id, hashed_run_id(address));
  EXPECT_EQ(detection.world.detected_from.at("run_id"), "address and port");
}

TEST(Detect, ARestartOfTorchrunDoesNotReadTheKeysOfTheAttemptBefore) {
  const auto detection = detect_in(with(torchrun(), {{"TORCHELASTIC_RESTART_COUNT", "2"}}));
  EXPECT_EQ(detection.rendezvous.run_id, "job7.attempt2");
}

TEST(Detect, RankZeroHostsTheStoreUnlessTheAgentDoes) {
  EXPECT_FALSE(
      detect_in(without(torchrun(), {"TORCHELASTIC_USE_AGENT_STORE"})).rendezvous.agent_store);
  EXPECT_FALSE(detect_in(with(torchrun(), {{"TORCHELASTIC_USE_AGENT_STORE", "False"}}))
                   .rendezvous.agent_store);
  Request request{.environment = torchrun()};
  request.launch.rendezvous = "n7:5000";
  const auto moved = detect(request);
  EXPECT_EQ(moved.rendezvous.host, "n7");
  EXPECT_FALSE(moved.rendezvous.agent_store);
}

TEST(Detect, LocalRankOfTorchDistributedLaunch) {
  Request request{.environment = without(torchrun(), {"LOCAL_RANK"})};
  request.launch.local_rank = 3;
  const auto detection = detect(request);
  expect_world(detection, {5, 8, 3, 4, 1, 2, "torch"});
  EXPECT_EQ(detection.world.detected_from.at("local_rank"), "--local-rank");
}

TEST(Detect, LocalRankAloneDescribesNoWorld) {
  Request request;
  request.launch.local_rank = 3;
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"--local-rank 3 without RANK and WORLD_SIZE; a launcher passes it together with "
                  "these variables"});
  request.launch.local_rank = 0;
  expect_world(detect(request), {.launcher = "single"});
}

TEST(Detect, RankAndWorldSizeByHandOnOneHost) {
  const auto detection = detect_in(
      {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", "29500"}});
  expect_world(detection, {1, 2, 1, 2, 0, 1, "torch"});
}

TEST(Detect, RankAndWorldSizeByHandOnTwoHosts) {
  const auto detection = detect_in(
      {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "n1"}, {"MASTER_PORT", "29500"}});
  expect_world(detection, {1, 2, 0, 1, 1, 2, "torch"});
  ASSERT_EQ(detection.notes.size(), 1u);
}

TEST(Detect, RefusesInconsistentNumbersByName) {
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"RANK", "8"}}))),
            Lines{"RANK=8 with WORLD_SIZE=8; a rank below the world size"});
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"LOCAL_RANK", "4"}}))),
            Lines{"LOCAL_RANK=4 with LOCAL_WORLD_SIZE=4; a local rank below the number of ranks on "
                  "the node"});
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"WORLD_SIZE", "0"}}))),
            Lines{"WORLD_SIZE=0; at least 1"});
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"LOCAL_WORLD_SIZE", "9"}}))),
            Lines{"LOCAL_WORLD_SIZE=9 with WORLD_SIZE=8; no more ranks on a node than in all"});
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"GROUP_RANK", "2"}}))),
            Lines{"GROUP_RANK=2 with GROUP_WORLD_SIZE=2; a node number below the number of nodes"});
}

TEST(Detect, ListsEveryValueThatIsNoNumber) {
  const auto detection = detect_in(
      with(torchrun(), {{"RANK", "-1"}, {"WORLD_SIZE", "4x"}, {"LOCAL_RANK", "4294967296"}}));
  EXPECT_EQ(problems_of(detection),
            (Lines{"RANK=-1; a whole number from 0 up", "WORLD_SIZE=4x; a whole number from 0 up",
                   "LOCAL_RANK=4294967296; a whole number from 0 up"}));
  try {
    refuse_if_invalid(detection);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
    EXPECT_NE(error.record().what.find("RANK=-1"), std::string::npos);
    EXPECT_NE(error.record().what.find("LOCAL_RANK=4294967296"), std::string::npos);
  }
}

TEST(Detect, RefusesHalfOfTheTorchPair) {
  EXPECT_EQ(problems_of(detect_in({{"RANK", "1"}})),
            Lines{"RANK is set but WORLD_SIZE is not; both or none"});
  // Batch scripts export WORLD_SIZE; under srun the step describes the rank.
  EXPECT_EQ(detect_in(with(slurm(), {{"WORLD_SIZE", "5"}})).world.launcher, "slurm");
}

TEST(Detect, RefusesBadAddresses) {
  EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"MASTER_PORT", "65536"}}))).at(0),
            "MASTER_PORT=65536; a port from 1 to 65535");
  const auto missing = detect_in(without(torchrun(), {"MASTER_ADDR"}));
  ASSERT_EQ(missing.problems.size(), 1u);
  EXPECT_EQ(missing.problems[0].exit_code, ExitCode::kUsage);
  EXPECT_EQ(missing.problems[0].what, "no address where the ranks meet");
  Request request{.environment = torchrun()};
  request.launch.rendezvous = "n1:0";
  EXPECT_EQ(problems_of(detect(request)).at(0),
            "--rendezvous n1:0; HOST:PORT with a port from 1 to 65535, or file:PATH");
}

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

// The order of the launchers: of two that are present the left one wins.
TEST(Detect, Order) {
  EXPECT_EQ(detect_in(with(slurm(), torchrun())).world.launcher, "torch");
  const auto bare_mpi = without(open_mpi(), {"PMIX_RANK", "PMIX_NAMESPACE"});
  EXPECT_EQ(detect_in(with(slurm(), bare_mpi)).world.launcher, "slurm");
  EXPECT_EQ(detect_in(with(hydra(), open_mpi())).world.launcher, "openmpi");
  Request request{.environment = with(pod(), hydra()), .launcher_pid = 7};
  EXPECT_EQ(detect(request).world.launcher, "pmi");
  EXPECT_EQ(detect_in(pod()).node->launcher, "kubernetes");
}

TEST(Detect, ATypedNumberOfRanksWinsAndSaysSo) {
  Request request{.environment = torchrun(), .origins = {{"nproc_per_node", "option"}}};
  request.launch.nproc_per_node = 2;
  const auto detection = detect(request);
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->launcher, "local");
  EXPECT_EQ(detection.node->nproc_per_node, 2);
  ASSERT_EQ(detection.notes.size(), 1u);
  EXPECT_EQ(detection.notes[0],
            "the number of ranks is given as an option: the variables of torch (RANK, WORLD_SIZE) "
            "are ignored");
}

TEST(Detect, ANumberOfRanksFromAConfigFileYieldsToALauncher) {
  Request request{.environment = torchrun(), .origins = {{"nproc_per_node", "config a.json"}}};
  request.launch.nproc_per_node = 2;
  EXPECT_EQ(detect(request).world.launcher, "torch");
}

TEST(Detect, ATypedNumberOfRanksNarrowsAPod) {
  Request request{.environment = pod(), .origins = {{"nproc_per_node", "option"}}};
  request.launch.nproc_per_node = 2;
  const auto detection = detect(request);
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->nproc_per_node, 2);
  EXPECT_EQ(detection.node->nnodes, 2);
  EXPECT_EQ(detection.node->detected_from.at("nproc_per_node"), "--nproc-per-node");
}

TEST(Detect, StandaloneIgnoresEveryLauncher) {
  for (const auto& environment :
       {torchrun(), slurm(), open_mpi(), hydra(), pod(), Environment{{"RANK", "rubbish"}}}) {
    Request request{.environment = environment};
    request.launch.standalone = true;
    expect_world(detect(request), {.launcher = "single"});
    request.launch.nproc_per_node = 3;
    EXPECT_EQ(detect(request).node->launcher, "local");
  }
}

TEST(Detect, StandaloneContradictsAForcedLauncher) {
  Request request{.environment = torchrun()};
  request.launch.standalone = true;
  request.launch.launcher = "torch";
  const auto detection = detect(request);
  ASSERT_EQ(detection.problems.size(), 1u);
  EXPECT_EQ(detection.problems[0].exit_code, ExitCode::kUsage);
}

TEST(Detect, AForcedLauncherNamesItsMissingVariables) {
  Request request;
  request.launch.launcher = "slurm";
  EXPECT_EQ(problems_of(detect(request)),
            (Lines{"SLURM_STEP_ID is not set; a step started by srun sets it",
                   "SLURM_PROCID is not set; this launcher sets it",
                   "SLURM_STEP_NUM_TASKS is not set; this launcher sets it",
                   "SLURM_LOCALID is not set; this launcher sets it"}));
  for (const auto* launcher : {"torch", "openmpi", "pmi", "kubernetes"}) {
    request.launch.launcher = launcher;
    EXPECT_FALSE(detect(request).problems.empty()) << launcher;
  }
  request.launch.launcher = "local";
  expect_world(detect(request), {.launcher = "single"});
}

TEST(Detect, AForcedLauncherWinsOverTheOrder) {
  Request request{.environment = with(torchrun(), slurm())};
  request.launch.launcher = "slurm";
  EXPECT_EQ(detect(request).world.launcher, "slurm");
}

TEST(Detect, NodesWithoutPython) {
  Request request{.origins = {{"nnodes", "option"}, {"node_rank", "option"}}};
  request.launch.nproc_per_node = 2;
  request.launch.nnodes = 2;
  request.launch.node_rank = 1;
  request.launch.rendezvous = "10.0.0.1:29500";
  const auto detection = detect(request);
  EXPECT_EQ(problems_of(detection), Lines{});
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->node_rank, 1);
  EXPECT_EQ(detection.node->rendezvous.port, 29500);
  EXPECT_EQ(detection.node->rendezvous.run_id, hashed_run_id(detection.node->rendezvous));
  request.launch.nproc_per_node = 1;
  expect_world(detect(request), {1, 2, 0, 1, 1, 2, "local"});
}

TEST(Detect, NodesNeedNumbersAndAnAddress) {
  Request request{.origins = {{"nnodes", "option"}}};
  request.launch.nnodes = 2;
  const auto unnumbered = detect(request);
  ASSERT_EQ(unnumbered.problems.size(), 1u);
  EXPECT_EQ(unnumbered.problems[0].what, "--node-rank is missing");
  EXPECT_EQ(unnumbered.problems[0].exit_code, ExitCode::kUsage);
  request.origins["node_rank"] = "option";
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"no address where the ranks meet; every rank needs the same one"});
  request.launch.node_rank = 2;
  EXPECT_EQ(problems_of(detect(request)),
            Lines{"--node-rank 2 with --nnodes 2; a node rank below the number of nodes"});
}

TEST(Detect, OneNodeNeedsNoAddress) {
  Request request{.origins = {{"nproc_per_node", "option"}}};
  request.launch.nproc_per_node = 2;
  const auto detection = detect(request);
  ASSERT_TRUE(detection.node.has_value());
  EXPECT_EQ(detection.node->rendezvous.kind, Rendezvous::Kind::kNone);
}

TEST(Detect, RunIdOptionWinsOverEveryOther) {
  for (const auto& environment : {torchrun(), slurm(), open_mpi()}) {
    Request request{.environment = environment};
    request.launch.run_id = "mine";
    EXPECT_EQ(detect(request).rendezvous.run_id, "mine");
  }
}

TEST(Detect, ARankOfTheBuiltInLauncherIsReadFirst) {
  RankSpec spec;
  spec.world = {1, 2, 1, 2, 0, 1, "local", {{"rank", "the built-in launcher"}}};
  spec.rendezvous = {.kind = Rendezvous::Kind::kTcp, .host = "127.0.0.1", .port = 4000};
  spec.rendezvous.listen_fd = 7;
  spec.rendezvous.run_id = "x";
  spec.error_file = "/tmp/e.json";
  spec.terminal = true;
  Request request{.environment = with(torchrun(), {{"SCALEMARK_RANK_SPEC", to_json(spec)}}),
                  .origins = {{"nproc_per_node", "option"}}};
  request.launch.nproc_per_node = 2;  // the ranks get the launcher's own arguments
  const auto detection = detect(request);
  expect_world(detection, {1, 2, 1, 2, 0, 1, "local"});
  EXPECT_EQ(detection.rendezvous.listen_fd, 7);
  EXPECT_EQ(detection.rendezvous.port, 4000);
  EXPECT_EQ(detection.error_file, "/tmp/e.json");
  EXPECT_EQ(detection.terminal, true);
}

TEST(Detect, RefusesADamagedRankSpec) {
  RankSpec spec;
  const auto good = to_json(spec);
  for (const std::string& bad : std::vector<std::string>{
           "", "{}", "[]", good.substr(0, good.size() / 2),
           std::string(good).replace(good.find("\"rank\":0"), 8, "\"rank\":-1"),
           std::string(good).replace(good.find("\"rank\":0"), 8, "\"rank\":0.5")}) {
    EXPECT_EQ(detect_in({{"SCALEMARK_RANK_SPEC", bad}}).problems.size(), 1u) << bad;
  }
}

}  // namespace
}  // namespace scalemark::launching
