#include "core/catalogue/strategy.h"

#include <gtest/gtest.h>

namespace scalemark::catalogue {
namespace {

TEST(Strategies, OneRankIsTheBaselineAndMoreExchangeByDefault) {
  EXPECT_EQ(default_strategy(1), "none");
  EXPECT_EQ(default_strategy(2), "ddp");
  EXPECT_EQ(baseline_strategy(), "none");
}

TEST(Strategies, AReportsUnknownStrategyIsTakenForOneThatExchanges) {
  EXPECT_FALSE(exchanges("none"));
  EXPECT_TRUE(exchanges("ddp"));
  EXPECT_TRUE(exchanges("of another version"));
}

TEST(Strategies, OptionsOfAnExchangeMeanNothingWithoutOne) {
  const auto without = options_without_meaning("none");
  EXPECT_EQ(without.size(), exchange_options().size());
  EXPECT_EQ(without.size(), 11u);
  EXPECT_EQ(options_without_meaning("ddp"),
            (std::vector<std::string_view>{"server", "local_steps"}));
}

TEST(Strategies, DdpHandsOverAllGradientsAndHoldsThemTwiceUnlessTheyAreViews) {
  const Strategy& ddp = *find_strategy("ddp");
  EXPECT_EQ(ddp.payload_bytes({.parameters = 100, .world_size = 2}), 400);
  EXPECT_EQ(ddp.payload_bytes({.parameters = 100, .world_size = 1}), 0);
  EXPECT_EQ(ddp.extra_memory_bytes({.parameters = 100}), 400);
  EXPECT_EQ(ddp.extra_memory_bytes({.parameters = 100, .gradient_as_bucket_view = true}), 0);
  EXPECT_EQ(ddp.extra_memory_bytes({.parameters = 100, .on_cpu = true}), 800)
      << "and the buckets of the first step";
  EXPECT_EQ(find_strategy("none")->extra_memory_bytes({.parameters = 100}), 0);
}

// Publications on parameter servers say that a ring saves 1 - 2 / N on the busiest link.
TEST(Strategies, ARingLoadsItsBusiestLinkLessThanAServerDoes) {
  const auto busiest = [](const char* strategy, int ranks) {
    return find_strategy(strategy)
        ->wire_bytes({.parameters = 100, .world_size = ranks, .local_steps = 4})
        .busiest_sent;
  };
  for (const int ranks : {2, 4, 8}) {
    EXPECT_DOUBLE_EQ(1 - busiest("ddp", ranks) / busiest("parameter-server", ranks),
                     1 - 2.0 / ranks);
    EXPECT_DOUBLE_EQ(busiest("sharded", ranks), busiest("flat", ranks));
    EXPECT_DOUBLE_EQ(busiest("local-sgd", ranks), busiest("flat", ranks) / 4);
    EXPECT_EQ(busiest("none", ranks), 0);
  }
  EXPECT_DOUBLE_EQ(
      find_strategy("parameter-server")->wire_bytes({.parameters = 100, .world_size = 4}).total,
      find_strategy("ddp")->wire_bytes({.parameters = 100, .world_size = 4}).total);
}

TEST(Strategies, ADedicatedServersLinkCarriesACopyOfEachRankEachWay) {
  const Strategy& server = *find_strategy("parameter-server");
  const ExchangeQuestion three{.parameters = 100, .world_size = 3, .dedicated_server = true};
  EXPECT_EQ(server.wire_bytes(three).busiest_sent, 1200);
  EXPECT_EQ(server.wire_bytes(three).busiest_received, 1200);
  EXPECT_EQ(server.wire_bytes(three).total, 2400);
  EXPECT_EQ(server.payload_bytes(three), 400) << "rank 0 hands over its gradients only";
  EXPECT_EQ(server.extra_memory_bytes(three), 1200);
  ExchangeQuestion over_gloo = three;
  over_gloo.on_cpu = true;
  EXPECT_EQ(server.extra_memory_bytes(over_gloo), 1200 + 1600) << "and Gloo's own 4";
  EXPECT_EQ(server.wire_bytes({.parameters = 100, .dedicated_server = true}).total, 800)
      << "one rank and its server";
}

TEST(Strategies, ShardedReceivesAllPartsWhereTheBackendDoesNotAddThemUp) {
  const Strategy& sharded = *find_strategy("sharded");
  const ExchangeQuestion two{.parameters = 100, .world_size = 2, .all_reduces_to_scatter = true};
  EXPECT_EQ(sharded.extra_memory_bytes(two), 400 + 400) << "and Gloo's own for the all-gather";
  ExchangeQuestion scattered = two;
  scattered.all_reduces_to_scatter = false;
  EXPECT_EQ(sharded.extra_memory_bytes(scattered), 0);
  scattered.compressed = true;
  EXPECT_EQ(sharded.extra_memory_bytes(scattered), 200);
}

TEST(Strategies, ReplicasOfOneProcessGetTheModelAndGiveGradientsInEveryMicroStep) {
  const Strategy& replicas = *find_strategy("data-parallel");
  EXPECT_EQ(replicas.payload_bytes({.parameters = 100, .world_size = 3}), 1600);
  EXPECT_EQ(replicas.payload_bytes({.parameters = 100, .world_size = 3, .micro_steps = 4}), 6400);
  EXPECT_EQ(replicas.payload_bytes({.parameters = 100, .world_size = 1}), 0);
  EXPECT_EQ(replicas.wire_bytes({.parameters = 100, .world_size = 3}).total, 0);
  EXPECT_EQ(replicas.extra_memory_bytes({.parameters = 100, .world_size = 3, .on_cpu = true}),
            1600);
  EXPECT_EQ(replicas.extra_memory_bytes({.parameters = 100, .world_size = 3}), 400);
  EXPECT_EQ(replicas.extra_memory_bytes({.parameters = 100, .on_cpu = true}), 0);
}

}  // namespace
}  // namespace scalemark::catalogue
