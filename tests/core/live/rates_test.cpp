#include "core/live/rates.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/core/live/made_run.h"

namespace scalemark::live {
namespace {

TEST(Rates, SharesAreOfTheTimeBetweenTwoRecords) {
  TwoRecords two(2);
  two.set_waits(1, 0.1);
  const RunNow run = two.view();
  ASSERT_EQ(run.ranks.size(), 2u);
  const RankNow& first = run.ranks[0];
  EXPECT_NEAR(first.interval_s.value(), 10, 1e-9);
  EXPECT_NEAR(first.samples_per_s.value(), 80, 1e-9);
  EXPECT_NEAR(first.step_s.value(), 0.1, 1e-9);
  EXPECT_NEAR(first.data_wait_share.value(), 0.01, 1e-9);
  EXPECT_NEAR(first.exchange_wait_share.value(), 0.3, 1e-9);
  EXPECT_NEAR(first.network_wait_share.value(), 0.1, 1e-9);
  EXPECT_NEAR(first.peer_wait_share.value(), 0.2, 1e-9);
  EXPECT_NEAR(run.ranks[1].peer_wait_share.value(), 0, 1e-9);
  EXPECT_NEAR(first.queued_share.value(), 0.01, 1e-9);
  EXPECT_NEAR(first.last_step_age_s.value(), 1.05, 1e-9);
  EXPECT_NEAR(run.samples_per_s.value(), 160, 1e-9);
}

TEST(Rates, HalfAStepAtAnEndDoesNotCount) {
  TwoRecords two(1);
  two.before.ranks[0].since_step_s = 0.9;  // its last step ended at 99.1 s
  two.now.ranks[0].since_step_s = 0.1;
  two.now.ranks[0].step = *two.before.ranks[0].step + 10;
  two.now.ranks[0].samples = two.before.ranks[0].samples + 108;
  EXPECT_NEAR(two.view().ranks[0].samples_per_s.value(), 10, 1e-9);
  two.now.ranks[0].since_step_s = 5;  // a step that takes so long is part of the rate
  EXPECT_NEAR(two.view().ranks[0].samples_per_s.value(), 10.8, 1e-9);
}

TEST(Rates, WhatIsNotKnownIsAbsent) {
  const Status now = made_status(2, 110);
  EXPECT_FALSE(rates_of(nullptr, now, 0).ranks[0].samples_per_s);
  const auto absent = [](auto change) {
    TwoRecords two(2);
    change(two);
    const RunNow run = two.view();
    EXPECT_FALSE(run.samples_per_s);
    return !run.ranks[1].samples_per_s && !run.ranks[1].data_wait_share;
  };
  EXPECT_TRUE(absent([](TwoRecords& two) { two.before.ranks.pop_back(); }));
  EXPECT_TRUE(absent([](TwoRecords& two) { two.now.ranks[1] = two.before.ranks[1]; }));
  EXPECT_TRUE(absent([](TwoRecords& two) { two.before.ranks[1].phase = "warmup"; }));
  EXPECT_TRUE(absent([](TwoRecords& two) { two.before.point = "w4/r0"; }));
  EXPECT_TRUE(absent([](TwoRecords& two) { two.before.ranks[1].samples += 10'000; }));
}

TEST(Rates, OnAGpuTheMainThreadsBlockingSaysNothing) {
  TwoRecords two(2);
  two.now.ranks[0].device = "cuda:0";
  two.now.ranks[1].gpu = GpuStatus{.utilisation = 0.9};
  for (const RankNow& rank : two.view().ranks) {
    EXPECT_TRUE(rank.data_wait_share);
    EXPECT_FALSE(rank.exchange_wait_share || rank.peer_wait_share || rank.network_wait_share);
  }
}

TEST(Rates, WhoExchangesNothingWaitsForNoPeer) {
  TwoRecords two(2);
  for (std::size_t i = 0; i < 2; ++i)
    two.now.ranks[i].collectives = two.before.ranks[i].collectives;
  EXPECT_FALSE(two.view().ranks[0].exchange_wait_share);
  EXPECT_TRUE(two.view().ranks[0].data_wait_share);
}

TEST(Rates, OneRankHasNoNetwork) {
  const RankNow rank = TwoRecords(1).view().ranks[0];
  EXPECT_TRUE(rank.exchange_wait_share);
  EXPECT_FALSE(rank.network_wait_share || rank.peer_wait_share);
}

TEST(Rates, RanksThatDoNotTrainAreNoPartOfTheRate) {
  TwoRecords two(3);
  two.before.ranks[2].phase = two.now.ranks[2].phase = "wait";
  const RunNow run = two.view();
  EXPECT_NEAR(run.samples_per_s.value(), 160, 1e-9);
  EXPECT_FALSE(run.ranks[2].last_step_age_s);
}

TEST(Rates, NodesCountersBecomeRates) {
  TwoRecords two(1);
  NodeStatus node{.host = "n0", .clock_s = 50, .busy_cpu_s = 100, .steal_cpu_s = 7};
  node.interfaces = {{.name = "lo", .sent_bytes = 5},
                     {.name = "a", .received_bytes = 100},
                     {.name = "b", .received_bytes = 100, .sent_bytes = 9}};
  two.before.nodes = {node};
  node.clock_s = 60;
  node.busy_cpu_s = 132;
  node.steal_cpu_s = 6;  // began anew
  node.swapped_bytes = 4;
  node.interfaces[0].sent_bytes = 1e9;
  node.interfaces[1].received_bytes = 300;
  node.interfaces[2].received_bytes = 400;
  two.now.nodes = {node};
  const NodeNow now = two.view().nodes.at(0);
  EXPECT_NEAR(now.busy_cpus.value(), 3.2, 1e-9);
  EXPECT_NEAR(now.received_bytes_per_s.value(), 50, 1e-9);
  EXPECT_NEAR(now.sent_bytes_per_s.value(), 0, 1e-9);
  EXPECT_FALSE(now.stolen_cpus || now.swap_bytes_per_s || now.pressure_io_share);
}

TEST(Rates, OthersAreWhatIsBusyWithoutTheRanks) {
  TwoRecords two(2);
  two.before.nodes = {{.host = "n0", .clock_s = 50, .busy_cpu_s = 100}};
  two.now.nodes = {{.host = "n0", .clock_s = 60, .busy_cpu_s = 132}};
  two.now.ranks[0].cpu_s = two.before.ranks[0].cpu_s + 10;
  two.now.ranks[1].cpu_s = two.before.ranks[1].cpu_s + 20;
  EXPECT_NEAR(two.view().nodes.at(0).other_cpus.value(), 0.2, 1e-9);
  two.now.ranks[1].cpu_s += 10;  // ticks of the machine's clock are coarse
  EXPECT_EQ(two.view().nodes.at(0).other_cpus.value(), 0);
  two.now.ranks[1].beats = two.before.ranks[1].beats;  // nothing new is known of it
  EXPECT_FALSE(two.view().nodes.at(0).other_cpus);
}

TEST(Rates, AnOldStatusOfARunningRunIsAnAlarm) {
  TwoRecords two(2);
  EXPECT_EQ(two.view(9).alarm, "");
  EXPECT_EQ(two.view(34).alarm,
            "rank 0 has given no sign of life for 34 s: killed, stopped, or a slow disk");
  two.now.state = "complete";
  EXPECT_EQ(two.view(34).alarm, "");
}

TEST(BaseOf, IsTenSecondsAndTenStepsOld) {
  std::deque<Status> earlier;
  EXPECT_EQ(base_of(earlier, made_status(1, 100)), nullptr);
  for (double at = 60; at < 100; at += 2) earlier.push_back(made_status(1, at));
  EXPECT_EQ(base_of(earlier, made_status(1, 100))->ranks[0].clock_s, 90);
  for (Status& status : earlier) *status.ranks[0].step /= 20;  // a step takes 2 s
  Status now = made_status(1, 100);
  *now.ranks[0].step /= 20;
  EXPECT_EQ(base_of(earlier, now)->ranks[0].clock_s, 80);
  for (std::size_t i = 0; i < 15; ++i) earlier[i].point = "another";
  EXPECT_EQ(base_of(earlier, now)->ranks[0].clock_s, 90);
}

TEST(FrameJson, HoldsTheStatusAndWhatFollowsFromIt) {
  TwoRecords two(2);
  two.now.ranks[1].silent_s = 40;
  const std::string line = frame_json("results/runs/a", two.now, two.view());
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["source"], "results/runs/a");
  EXPECT_EQ(json["status"]["ranks"][1]["clock_s"], 110);
  EXPECT_EQ(json["now"]["ranks"][1]["mark"], "silent");
  EXPECT_FALSE(json["now"]["ranks"][0].contains("mark"));
  EXPECT_NEAR(json["now"]["samples_per_s"].get<double>(), 160, 1e-9);
}

}  // namespace
}  // namespace scalemark::live
