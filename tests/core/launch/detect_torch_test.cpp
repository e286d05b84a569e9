#include <gtest/gtest.h>

#include "core/launch/detect.h"
#include "core/launch/meeting_point.h"
#include "tests/core/launch/environments.h"

namespace scalemark::launching {
namespace {

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
  // Agents of two nodes may count differently: the keys, too, would keep them apart.
  EXPECT_EQ(detection.rendezvous.store_id, "job7");
}

TEST(Detect, ARestartThatRankZeroServesMeetsUnderOneIdHoweverAgentsCount) {
  auto restarted = with(
      torchrun(), {{"TORCHELASTIC_RESTART_COUNT", "2"}, {"TORCHELASTIC_USE_AGENT_STORE", "False"}});
  EXPECT_EQ(detect_in(restarted).rendezvous.store_id, "job7");
  Request request{.environment = restarted};
  request.launch.rendezvous = "file:/shared/meet";  // which still holds the keys of the others
  EXPECT_EQ(detect(request).rendezvous.store_id, "");
  EXPECT_EQ(detect(request).rendezvous.run_id, "job7.attempt2");
}

TEST(Detect, UsersAndJobsAtOneAddressHaveIdsOfTheirOwn) {
  const auto id = [](const std::string& user, const char* job) {
    Request request;
    request.environment =
        with(torchrun(), {{"TORCHELASTIC_RUN_ID", "none"}, {"SLURM_JOB_ID", job}});
    request.user = user;
    return detect(request).rendezvous.run_id;
  };
  EXPECT_EQ(id("1000", "7"), id("1000", "7"));
  EXPECT_NE(id("1000", "7"), id("1001", "7"));
  EXPECT_NE(id("1000", "7"), id("1000", "8"));
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
  // A Service named master gives this to every pod.
  for (const std::string port : {"tcp://10.0.0.5:29500", "29500 ", "0", "-1", "29500.0"}) {
    EXPECT_EQ(problems_of(detect_in(with(torchrun(), {{"MASTER_PORT", port}}))),
              Lines{"MASTER_PORT=" + port + "; a port from 1 to 65535"});
  }
  const auto missing = detect_in(without(torchrun(), {"MASTER_ADDR"}));
  ASSERT_EQ(missing.problems.size(), 1u);
  EXPECT_EQ(missing.problems[0].exit_code, ExitCode::kUsage);
  EXPECT_EQ(missing.problems[0].what, "no address where the ranks meet");
  Request request{.environment = torchrun()};
  request.launch.rendezvous = "n1:0";
  EXPECT_EQ(problems_of(detect(request)).at(0),
            "--rendezvous n1:0; HOST:PORT with a port from 1 to 65535, or file:PATH");
}

}  // namespace
}  // namespace scalemark::launching
