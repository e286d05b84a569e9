#include "core/launch/detect.h"

#include <gtest/gtest.h>

#include "core/launch/meeting_point.h"
#include "core/launch/world.h"
#include "core/settings/option.h"
#include "tests/core/launch/environments.h"

namespace scalemark::launching {
namespace {

TEST(Detect, ALonelyProcessIsAWorldOfOne) {
  const auto detection = detect_in({{"HOME", "/home/a"}});
  expect_world(detection, {.launcher = "single"});
  EXPECT_EQ(detection.rendezvous.kind, Rendezvous::Kind::kNone);
  EXPECT_EQ(detection.rendezvous.run_id, "none");
}

TEST(Detect, KnowsEveryChoiceOfTheOption) {
  for (const std::string_view choice : settings::find_option("launcher")->choices) {
    Request request{.environment = slurm()};
    request.launch.launcher = choice;
    EXPECT_NO_THROW(detect(request)) << choice;
  }
  Request request{.environment = slurm()};
  request.launch.launcher = "no launcher";
  EXPECT_THROW(detect(request), Error);
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

TEST(Detect, SaysWhichLauncherIsNotRead) {
  const std::vector<std::pair<Environment, std::string>> launchers{
      {{{"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "2"}}, "MV2_COMM_WORLD_SIZE=2"},
      {{{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "prte.7"}}, "PMIX_RANK=1"},
      {{{"HOROVOD_RANK", "1"}, {"HOROVOD_SIZE", "4"}}, "HOROVOD_SIZE=4"},
      {{{"JSM_NAMESPACE_SIZE", "6"}}, "JSM_NAMESPACE_SIZE=6"},
      {{{"FLUX_JOB_SIZE", "8"}}, "FLUX_JOB_SIZE=8"},
      {{{"ALPS_APP_PE", "0"}}, "ALPS_APP_PE=0"},
      {{{"PALS_RANKID", "0"}}, "PALS_RANKID=0"},
      {{{"PMI_RANK", "1"}}, "PMI_RANK=1"},
      {{{"PMI_SIZE", "2"}}, "PMI_SIZE=2"}};
  for (const auto& [environment, named] : launchers) {
    const auto detection = detect_in(environment);
    expect_world(detection, {.launcher = "single"});
    ASSERT_EQ(detection.notes.size(), 1u) << named;
    EXPECT_TRUE(detection.notes[0].starts_with(named + " is set and not read: this process"))
        << detection.notes[0];
    Request request{.environment = environment};
    request.launch.standalone = true;
    EXPECT_TRUE(detect(request).notes.empty()) << named;
    request = {.environment = environment, .origins = {{"nproc_per_node", "option"}}};
    request.launch.nproc_per_node = 2;
    ASSERT_EQ(detect(request).notes.size(), 1u);
    EXPECT_NE(detect(request).notes[0].find("every process"), std::string::npos);
    EXPECT_TRUE(detect_in(with(environment, torchrun())).notes.empty()) << named;
    EXPECT_TRUE(detect_in(with(environment, slurm())).notes.empty()) << named;
  }
  EXPECT_TRUE(
      detect_in({{"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "1"}}).notes.empty());
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
  for (const auto& environment : {torchrun(), slurm(), open_mpi(), flux(), pals(), jsrun(), hydra(),
                                  pod(), leader_worker_set(), Environment{{"RANK", "rubbish"}}}) {
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
                   "SLURM_STEP_NUM_NODES is not set; this launcher sets it",
                   "SLURM_NODEID is not set; this launcher sets it",
                   "SLURM_LOCALID is not set; this launcher sets it"}));
  for (const auto* launcher : {"torch", "openmpi", "flux", "pals", "jsrun", "pmi", "kubernetes"}) {
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
           std::string(good).replace(good.find("\"node\":0"), 8, "\"node\":2"),
           std::string(good).replace(good.find("\"secret\""), 8, "\"sacred\""),
           std::string(good).replace(good.find("\"rank\":0"), 8, "\"rank\":0.5")}) {
    EXPECT_EQ(detect_in({{"SCALEMARK_RANK_SPEC", bad}}).problems.size(), 1u) << bad;
  }
}

}  // namespace
}  // namespace scalemark::launching
