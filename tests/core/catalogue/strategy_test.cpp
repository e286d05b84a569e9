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
  EXPECT_EQ(without.size(), 9u);
  EXPECT_TRUE(options_without_meaning("ddp").empty());
}

TEST(Strategies, DdpHandsOverAllGradientsAndHoldsThemTwiceUnlessTheyAreViews) {
  const Strategy& ddp = *find_strategy("ddp");
  EXPECT_EQ(ddp.payload_bytes({.parameters = 100, .world_size = 2}), 400);
  EXPECT_EQ(ddp.payload_bytes({.parameters = 100, .world_size = 1}), 0);
  EXPECT_EQ(ddp.extra_memory_bytes({.parameters = 100}), 400);
  EXPECT_EQ(ddp.extra_memory_bytes({.parameters = 100, .gradient_as_bucket_view = true}), 0);
  EXPECT_EQ(find_strategy("none")->extra_memory_bytes({.parameters = 100}), 0);
}

}  // namespace
}  // namespace scalemark::catalogue
