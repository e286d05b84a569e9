#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/compare.h"
#include "core/statistics/fastest.h"

namespace scalemark::statistics {
namespace {

using Series = std::vector<std::vector<double>>;

Effect judge_one(const std::vector<double>& ratios) {
  std::vector<double> logs;
  for (const double ratio : ratios) logs.push_back(std::log(ratio));
  return judge_effects(Series{logs}).at(0);
}

// METRICS.md has this example under "Effects".
TEST(JudgeEffects, WorkedExample) {
  const Effect effect = judge_one({1.028, 1.041, 1.019, 1.032, 1.020});
  EXPECT_EQ(effect.pairs, 5u);
  EXPECT_NEAR(effect.ratio, 1.02797, 1e-5);
  EXPECT_NEAR(effect.ratio_ci95->low, 1.01677, 1e-5);
  EXPECT_NEAR(effect.ratio_ci95->high, 1.03929, 1e-5);
  EXPECT_NEAR(*effect.p_holm, 0.0022026, 1e-7);
  EXPECT_EQ(effect.verdict, EffectVerdict::kReal);
}

TEST(JudgeEffects, RealNeedsTwoPercentAndNoneItsInterval) {
  EXPECT_EQ(judge_one({1.0150, 1.0152, 1.0148}).verdict, EffectVerdict::kNone)
      << "certain, but small";
  EXPECT_EQ(judge_one({0.9750, 0.9752, 0.9748}).verdict, EffectVerdict::kReal);
  EXPECT_EQ(judge_one({1.0, 1.06, 0.97}).verdict, EffectVerdict::kUnsure);
  EXPECT_EQ(judge_one({1.019, 1.0195, 1.0185, 1.0215}).verdict, EffectVerdict::kUnsure)
      << "the 90 % interval reaches beyond 2 %";
}

TEST(JudgeEffects, FewerThanThreePairsAreUnsureWithoutP) {
  const Effect two = judge_one({1.5, 1.5});
  EXPECT_TRUE(two.ratio_ci95);
  EXPECT_FALSE(two.p_holm);
  EXPECT_EQ(two.verdict, EffectVerdict::kUnsure);
  EXPECT_FALSE(judge_one({1.5}).ratio_ci95);
  EXPECT_THROW(judge_effects(Series{{}}), Error);
}

TEST(JudgeEffects, PairsThatDoNotSpreadAreKnown) {
  EXPECT_EQ(judge_one({1.1, 1.1, 1.1}).verdict, EffectVerdict::kReal);
  EXPECT_EQ(judge_one({1.0, 1.0, 1.0}).verdict, EffectVerdict::kNone);
}

TEST(JudgeEffects, HolmOverTheComparisonsThatHaveThreePairs) {
  const std::vector<double> sure = {0.1, 0.11, 0.09}, alone = {0.5};
  const double p = *judge_effects(Series{sure}).at(0).p_holm;
  const auto effects = judge_effects(Series{sure, alone, {0.01, -0.02, 0.02}});
  EXPECT_DOUBLE_EQ(*effects.at(0).p_holm, 2 * p);
  EXPECT_FALSE(effects.at(1).p_holm);
}

BlockRates rates(const std::vector<double>& values) {
  BlockRates all;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] > 0) all[{static_cast<int>(k), 0}] = std::log(values[k]);
  }
  return all;
}

TEST(JudgeRace, LeaderSlowerAndAlike) {
  const std::vector<BlockRates> runners = {rates({100, 101, 99}), rates({110, 111, 109}),
                                           rates({110.2, 110.8, 109.1}), rates({103, 112, 107})};
  const Race race = judge_race(runners, 0.05);
  EXPECT_EQ(race.leader, 2u);
  EXPECT_EQ(race.slower, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(race.alike, (std::vector<bool>{false, true, true, false}));
}

// A machine that was half as fast in one block: only runs of one block and session are compared.
TEST(JudgeRace, ComparesWithinBlocksAndSessions) {
  const std::vector<BlockRates> runners = {rates({100, 50, 100, 100}), rates({90, 0, 90, 90})};
  EXPECT_EQ(judge_race(runners, 0.05).leader, 0u);
  EXPECT_TRUE(judge_race(runners, 0.05).slower[1]);
  std::vector<BlockRates> elsewhere = runners;
  elsewhere[1] = {{{0, 1}, 0.0}, {{2, 1}, 0.0}, {{3, 1}, 0.0}};
  EXPECT_FALSE(judge_race(elsewhere, 0.05).slower[1]);
}

TEST(JudgeRace, TwoBlocksJudgeNobodyAndWhoDidNotRunCannotLead) {
  const std::vector<BlockRates> two = {rates({1, 1}), rates({10, 10})};
  EXPECT_EQ(judge_race(two, 0.05).leader, 1u);
  EXPECT_FALSE(judge_race(two, 0.05).slower[0]);
  EXPECT_EQ(judge_race(std::vector<BlockRates>{{}, rates({1})}, 0.05).leader, 1u);
}

TEST(RaceLevel, SharesFivePercentAmongRivalsAndLooks) {
  EXPECT_DOUBLE_EQ(race_level(6, 2), 0.005);
  EXPECT_DOUBLE_EQ(race_level(1, 0), 0.05);
}

}  // namespace
}  // namespace scalemark::statistics
