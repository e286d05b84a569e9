#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/efficiency.h"

namespace scalemark::statistics {
namespace {

// The worked example of METRICS.md, "Where efficiency goes".
const StepTimes kBaseline{.step_s = 0.100,
                          .own_mean_s = 0.100,
                          .own_max_of_rank_means_s = 0.100,
                          .own_mean_of_step_max_s = 0.100,
                          .data_wait_s = 0.002};
const StepTimes kScaled{.step_s = 0.125,
                        .own_mean_s = 0.108,
                        .own_max_of_rank_means_s = 0.111,
                        .own_mean_of_step_max_s = 0.115,
                        .data_wait_s = 0.005};

TEST(LossTerms, OfAWeakPair) {
  const LossTerms terms = loss_terms({kBaseline, kScaled}, Scaling::kWeak, 4);
  EXPECT_NEAR(terms.data_wait, 0.003, 1e-15);
  EXPECT_NEAR(terms.slower_compute, 0.005, 1e-15);
  EXPECT_NEAR(terms.persistent_imbalance, 0.003, 1e-15);
  EXPECT_NEAR(terms.jitter.value(), 0.004, 1e-15);
  EXPECT_NEAR(terms.communication, 0.010, 1e-15);
  EXPECT_NEAR(terms.sum(), 0.125 - 0.100, 1e-15);
}

// Steps marked 23 at a time: nobody knows each step's slowest rank.
TEST(LossTerms, WithoutSingleStepsHaveNoJitterAndCommunicationHoldsIt) {
  StepTimes scaled = kScaled;
  scaled.own_mean_of_step_max_s.reset();
  const LossTerms terms = loss_terms({kBaseline, scaled}, Scaling::kWeak, 4);
  EXPECT_FALSE(terms.jitter);
  EXPECT_NEAR(terms.communication, 0.014, 1e-15);
  EXPECT_NEAR(terms.sum(), 0.025, 1e-15);
}

// One run of three without single steps: the terms of all must mean the same.
TEST(SharesOfLostEfficiency, LeaveJitterOutOfEveryPairWhereOneHasNone) {
  StepTimes thinned = kScaled;
  thinned.own_mean_of_step_max_s.reset();
  const std::vector<StepTimesPair> mixed{{kBaseline, kScaled}, {kBaseline, thinned}};
  const LossTerms shares = shares_of_lost_efficiency(mixed, Scaling::kWeak, 4);
  EXPECT_FALSE(shares.jitter);
  EXPECT_NEAR(shares.communication, 0.014 / 0.125, 1e-14);
  EXPECT_NEAR(shares.sum(), 1 - 0.8, 1e-14);
}

// Two ranks that are slow in turn, by 6 ms above the other; and one that always is.
StepTimes with_ranks(std::vector<double> own_s) {
  StepTimes run = kScaled;
  run.own_of_ranks_s = std::move(own_s);
  return run;
}

TEST(SharesOfLostEfficiency, PersistentIsOnlyWhatLasts) {
  const StepTimes left = with_ranks({0.111, 0.105}), right = with_ranks({0.105, 0.111});
  const std::vector<StepTimesPair> turns{{kBaseline, left}, {kBaseline, right}};
  const LossTerms in_turn = shares_of_lost_efficiency(turns, Scaling::kWeak, 4);
  EXPECT_NEAR(in_turn.persistent_imbalance, 0, 1e-14);
  EXPECT_NEAR(in_turn.run_imbalance.value(), 0.003 / 0.125, 1e-14);
  EXPECT_NEAR(in_turn.sum(), 1 - 0.8, 1e-14);

  const std::vector<StepTimesPair> same{{kBaseline, left}, {kBaseline, left}};
  const LossTerms always = shares_of_lost_efficiency(same, Scaling::kWeak, 4);
  EXPECT_NEAR(always.persistent_imbalance, 0.003 / 0.125, 1e-14);
  EXPECT_NEAR(always.run_imbalance.value(), 0, 1e-14);
}

TEST(SharesOfLostEfficiency, OneRunCannotTellWhatLasts) {
  const std::vector<StepTimesPair> one{{kBaseline, with_ranks({0.111, 0.105})}};
  const LossTerms shares = shares_of_lost_efficiency(one, Scaling::kWeak, 4);
  EXPECT_FALSE(shares.run_imbalance);
  EXPECT_NEAR(shares.persistent_imbalance, 0.003 / 0.125, 1e-14);
  const std::vector<StepTimesPair> unknown{one[0], {kBaseline, kScaled}};
  EXPECT_FALSE(shares_of_lost_efficiency(unknown, Scaling::kWeak, 4).run_imbalance);
}

// Communication of 10 and 12 ms of steps of 125 ms: t(.975, 1) = 12.706, s / sqrt(2) = 1 ms.
TEST(LossIntervals, AreStudentsOverBlocks) {
  StepTimes more = kScaled;
  more.own_mean_of_step_max_s = 0.113;
  const std::vector<StepTimesPair> pairs{{kBaseline, kScaled}, {kBaseline, more}};
  const auto blocks = shares_by_block(pairs, Scaling::kWeak, 4);
  const auto found = loss_intervals(blocks);
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found->communication.low, (0.011 - 12.7062047 * 0.001) / 0.125, 1e-8);
  EXPECT_NEAR(*found->communication.high, (0.011 + 12.7062047 * 0.001) / 0.125, 1e-8);
  EXPECT_NEAR(*found->data_wait.low, 0.003 / 0.125, 1e-12);
  EXPECT_TRUE(found->jitter);
  EXPECT_FALSE(found->run_imbalance);
  EXPECT_FALSE(loss_intervals({blocks.data(), 1})) << "one block";
}

TEST(LossTerms, OfAStrongPair) {  // ideal 0.100 / 4 = 25 ms, of which 0.5 ms are data wait
  StepTimes scaled{.step_s = 0.040,
                   .own_mean_s = 0.030,
                   .own_max_of_rank_means_s = 0.031,
                   .own_mean_of_step_max_s = 0.032,
                   .data_wait_s = 0.0005};
  const LossTerms terms = loss_terms({kBaseline, scaled}, Scaling::kStrong, 4);
  EXPECT_NEAR(terms.data_wait, 0, 1e-15);
  EXPECT_NEAR(terms.slower_compute, 0.005, 1e-15);
  EXPECT_NEAR(terms.communication, 0.008, 1e-15);
  EXPECT_NEAR(terms.sum(), 0.040 - 0.025, 1e-15);
}

// One pair: share_j = term_j / L (1 - E) / (-ln E) = term_j / T_N.
TEST(SharesOfLostEfficiency, OfOnePairAreTermsOverTheStep) {
  const std::vector<StepTimesPair> pairs{{kBaseline, kScaled}};
  const LossTerms shares = shares_of_lost_efficiency(pairs, Scaling::kWeak, 4);
  EXPECT_NEAR(shares.data_wait, 0.003 / 0.125, 1e-14);
  EXPECT_NEAR(shares.slower_compute, 0.005 / 0.125, 1e-14);
  EXPECT_NEAR(shares.persistent_imbalance, 0.003 / 0.125, 1e-14);
  EXPECT_NEAR(shares.jitter.value(), 0.004 / 0.125, 1e-14);
  EXPECT_NEAR(shares.communication, 0.010 / 0.125, 1e-14);
  EXPECT_NEAR(shares.sum(), 1 - 0.8, 1e-14);
}

TEST(SharesOfLostEfficiency, KeepTheirSigns) {  // faster compute pays for communication
  StepTimes scaled{.step_s = 0.100,
                   .own_mean_s = 0.090,
                   .own_max_of_rank_means_s = 0.090,
                   .own_mean_of_step_max_s = 0.090,
                   .data_wait_s = 0.002};
  const std::vector<StepTimesPair> pairs{{kBaseline, scaled}};
  const LossTerms shares = shares_of_lost_efficiency(pairs, Scaling::kWeak, 2);  // E = 1
  EXPECT_NEAR(shares.slower_compute, -0.1, 1e-14);
  EXPECT_NEAR(shares.communication, 0.1, 1e-14);
  EXPECT_NEAR(shares.sum(), 0, 1e-14);
}

StepTimes random_scaled(std::mt19937& random, double ideal_s, double spread) {
  std::uniform_real_distribution<double> part(-spread, spread);
  StepTimes times{.step_s = ideal_s * (1 + part(random))};
  times.own_mean_s = times.step_s * (1 - spread / 2);
  times.own_max_of_rank_means_s = times.own_mean_s * (1 + spread / 5);
  times.own_mean_of_step_max_s = times.own_max_of_rank_means_s * (1 + spread / 7);
  times.data_wait_s = times.own_mean_s * spread / 9;
  return times;
}

// The loss goes from nothing (the limit at equality) to nine tenths, over any number of blocks.
TEST(SharesOfLostEfficiency, AddUpToWhatIsLost) {
  std::mt19937 random(1);
  for (const double spread : {0.0, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.1, 0.9}) {
    for (std::size_t blocks = 1; blocks <= 20; ++blocks) {
      std::vector<StepTimesPair> pairs(blocks, {kBaseline, {}});
      double log_efficiency = 0;
      for (StepTimesPair& pair : pairs) {
        pair.scaled = random_scaled(random, 0.1, spread);
        log_efficiency += std::log(0.1 / pair.scaled.step_s) / static_cast<double>(blocks);
      }
      const LossTerms shares = shares_of_lost_efficiency(pairs, Scaling::kWeak, 8);
      EXPECT_NEAR(shares.sum(), -std::expm1(log_efficiency), 1e-13) << spread << " " << blocks;
    }
  }
}

TEST(SharesOfLostEfficiency, RefuseStepsWithoutTime) {
  EXPECT_THROW(shares_of_lost_efficiency({}, Scaling::kWeak, 2), Error);
  const std::vector<StepTimesPair> pairs{{kBaseline, {}}};
  EXPECT_THROW(shares_of_lost_efficiency(pairs, Scaling::kWeak, 2), Error);
}

TEST(LogarithmicMean, BetweenItsArguments) {
  EXPECT_NEAR(logarithmic_mean(2, 1), 1.4426950408889634, 1e-15);  // 1 / ln 2
  EXPECT_EQ(logarithmic_mean(3, 3), 3);
  EXPECT_NEAR(logarithmic_mean(1 + 1e-12, 1), 1, 1e-11);
}

}  // namespace
}  // namespace scalemark::statistics
