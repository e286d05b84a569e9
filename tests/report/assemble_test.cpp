#include "report/judge/point/assemble.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/wire.h"
#include "report/judge/point/findings.h"
#include "report/judge/point/fingerprint.h"
#include "report/judge/point/rank_steps.h"
#include "report/record/point_facts.h"
#include "report/record/rank_fields.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

// Two ranks, three steps, by hand:
//   step        rank 0: 1.0 2.0 1.0   rank 1: 1.5 1.0 1.0     T = max: 1.5 2.0 1.0
//   exposed     rank 0: 0.5 0.0 0.0   rank 1: 0.0 0.5 0.5
//   own         rank 0: 0.5 2.0 1.0   rank 1: 1.5 0.5 0.5     max: 1.5 2.0 1.0
//   data wait d rank 0: 0.1 1.0 0.0   rank 1: 0.0 0.0 0.0
//   own - d     rank 0: 0.4 1.0 1.0   rank 1: 1.5 0.5 0.5     max: 1.5 1.0 1.0
std::vector<RankMeasurement> by_hand() {
  std::vector<RankMeasurement> ranks(2);
  ranks[0].record.rank = 1;  // any order is fine
  ranks[0].series.step_s = {1.5, 1.0, 1.0};
  ranks[0].series.exposed_communication_s = {0.0, 0.5, 0.5};
  ranks[0].series.counted_data_wait_s = {0, 0, 0};
  ranks[0].record.wall_s = 3.6;
  ranks[0].record.phases_s = Phases{.forward = 1.0, .exposed_communication = 1.0 / 6};
  ranks[1].record.rank = 0;
  ranks[1].series.step_s = {1.0, 2.0, 1.0};
  ranks[1].series.exposed_communication_s = {0.5, 0, 0};
  ranks[1].series.counted_data_wait_s = {0.1, 1.0, 0};
  ranks[1].record.wall_s = 4.0;
  ranks[1].record.phases_s =
      Phases{.data_wait = 0.5, .forward = 0.5, .exposed_communication = 1.0 / 3};
  ranks[1].loss_first = 2;
  ranks[1].loss_last = 1;
  for (auto& rank : ranks) {
    rank.iterations = 3;
    rank.record.samples = 30;
    rank.padded = 1;
    rank.left_out = 5;  // each rank counts those of all ranks
    rank.tokens = 300;
    rank.non_pad_tokens = 155;  // 31 rows have so many
    rank.record.memory_peak_bytes = 100 + rank.record.rank;
    rank.setup_s = {.rendezvous_s = 1.0 + rank.record.rank, .model_s = 5.0 - rank.record.rank};
  }
  return ranks;
}

// A captured graph: only the begin of each step is marked.
TEST(Assemble, StepsWithoutPhasesLeaveOutWhatNeedsThem) {
  auto ranks = by_hand();
  for (auto& rank : ranks) {
    rank.record.phases_s.reset();
    rank.series.exposed_communication_s.clear();
    rank.series.counted_data_wait_s.clear();
  }
  const auto point = assemble_point({}, ranks);
  EXPECT_EQ(point.samples_per_sec, 15.0);
  EXPECT_DOUBLE_EQ(point.step_s.mean, 1.5);
  EXPECT_EQ(point.step_samples_s, (std::vector<double>{1.5, 2.0, 1.0}));
  EXPECT_FALSE(point.phases_s || point.own_mean_s || point.own_max_of_rank_means_s ||
               point.own_mean_of_step_max_s || point.compute_samples_per_sec);
  EXPECT_FALSE(point.ranks[0].phases_s || point.ranks[0].data_wait_s ||
               point.ranks[0].exposed_communication_s);
}

TEST(Assemble, EveryFormulaByHand) {
  const auto point = assemble_point({.world_size = 2}, by_hand());
  EXPECT_EQ(point.iterations, 3);
  EXPECT_EQ(point.samples, 60);
  EXPECT_EQ(point.padded, 2);
  EXPECT_EQ(point.left_out, 5);
  EXPECT_EQ(point.wall_s, 4.0);
  EXPECT_DOUBLE_EQ(point.samples_per_sec, 15.0);
  EXPECT_DOUBLE_EQ(point.samples_per_sec_per_rank, 7.5);
  EXPECT_EQ(point.step_samples_s, (std::vector<double>{1.5, 2.0, 1.0}));
  EXPECT_DOUBLE_EQ(point.step_s.mean, 1.5);
  EXPECT_DOUBLE_EQ(point.step_mean_over_ranks_s, (4.0 / 3 + 3.5 / 3) / 2);
  EXPECT_DOUBLE_EQ(point.own_mean_s.value(), (3.5 / 3 + 2.5 / 3) / 2);
  EXPECT_DOUBLE_EQ(point.own_max_of_rank_means_s.value(), 3.5 / 3);
  EXPECT_DOUBLE_EQ(point.own_mean_of_step_max_s.value(), 1.5);
  EXPECT_FALSE(point.steps_per_mark);
  // The wait of 1 s in step 1 made the 4 s longer; that of 0.1 s in step 0 did not.
  EXPECT_DOUBLE_EQ(*point.compute_samples_per_sec, 60 / 3.0);
  EXPECT_DOUBLE_EQ(*point.tokens_per_sec, 150);
  EXPECT_DOUBLE_EQ(*point.non_pad_share, 0.5);
  EXPECT_DOUBLE_EQ(point.phases_s.value().exposed_communication, 0.25);
  EXPECT_DOUBLE_EQ(point.phases_s.value().data_wait, 0.25);
  EXPECT_EQ(point.memory_peak_bytes, 101u);
  EXPECT_EQ(point.setup_s.rendezvous_s, 2.0);
  EXPECT_EQ(point.setup_s.model_s, 5.0);
  EXPECT_EQ(point.loss_last, 1.0);  // it is rank 0's
  ASSERT_EQ(point.ranks.size(), 2u);
  EXPECT_EQ(point.ranks[0].rank, 0);
  EXPECT_DOUBLE_EQ(point.ranks[0].data_wait_s.value(), 1.1 / 3);
  EXPECT_DOUBLE_EQ(*point.ranks[0].own_mean_ln, (std::log(0.5) + std::log(2.0)) / 3);
  EXPECT_FALSE(point.within_run_ci95.low);  // three steps say nothing
  EXPECT_FALSE(point.steady);
  EXPECT_FALSE(point.mfu);
}

// Between two averages nobody waits for the slowest rank of a step.
TEST(Assemble, OfRanksThatExchangeInSomeStepsHasNothingOfTheSlowestOfEach) {
  const auto point = assemble_point({.strategy = "local-sgd"}, by_hand());
  EXPECT_TRUE(point.own_mean_s && point.own_max_of_rank_means_s);
  EXPECT_FALSE(point.own_mean_of_step_max_s || point.communication.network_s);
  EXPECT_TRUE(assemble_point({.strategy = "sharded"}, by_hand()).communication.network_s);
}

TEST(Assemble, BucketsAreMeansOverRanks) {
  auto ranks = by_hand();
  ranks[0].bucket_timeline = {{.bytes = 8, .collective = "gather", .end_s = 1, .hidden_share = 1}};
  ranks[1].bucket_timeline = {{.bytes = 8, .collective = "gather", .end_s = 3}};
  const auto buckets = assemble_point({}, ranks).bucket_timeline;
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].bytes, 8);
  EXPECT_DOUBLE_EQ(buckets[0].end_s, 2);
  EXPECT_DOUBLE_EQ(buckets[0].hidden_share, 0.5);
  ranks[1].bucket_timeline.clear();
  EXPECT_TRUE(assemble_point({}, ranks).bucket_timeline.empty());
}

// The same, each value the mean over 23 steps of a window that has two more.
std::vector<RankMeasurement> thinned_by_hand() {
  auto ranks = by_hand();
  for (auto& rank : ranks) {
    rank.iterations = 71;
    rank.steps_per_mark = 23;
  }
  return ranks;
}

TEST(Assemble, OfMeansOverSeveralStepsHasNothingOfSingleOnes) {
  const auto point = assemble_point({}, thinned_by_hand());
  EXPECT_EQ(point.steps_per_mark, 23);
  EXPECT_EQ(point.iterations, 71);
  EXPECT_EQ(point.step_s.n, 3);
  EXPECT_DOUBLE_EQ(point.step_s.mean, 1.5);
  EXPECT_FALSE(point.step_s.p50 || point.step_s.min || point.step_s.max || point.step_s.stdev);
  EXPECT_FALSE(point.ranks[0].step_s.p50);
  EXPECT_DOUBLE_EQ(point.own_mean_s.value(), (3.5 / 3 + 2.5 / 3) / 2);
  EXPECT_DOUBLE_EQ(point.own_max_of_rank_means_s.value(), 3.5 / 3);
  EXPECT_DOUBLE_EQ(*point.ranks[0].own_mean_ln, (std::log(0.5) + std::log(2.0)) / 3);
  EXPECT_FALSE(point.own_mean_of_step_max_s);
  EXPECT_FALSE(point.compute_samples_per_sec);
  EXPECT_DOUBLE_EQ(point.samples_per_sec, 15.0);  // the wall clock gives it
}

// One rank is the slowest of each step: nothing is lost but the spread.
TEST(Assemble, OfMeansOverSeveralStepsOfOneRankKnowsItsOwnTime) {
  auto ranks = thinned_by_hand();
  ranks.erase(ranks.begin());
  ranks[0].record.wall_s = 100;
  const auto point = assemble_point({}, ranks);
  EXPECT_DOUBLE_EQ(point.own_mean_of_step_max_s.value(), 3.5 / 3);
  // Waits of (0.1 + 1.0 + 0.0) / 3 s in each of 71 steps.
  EXPECT_DOUBLE_EQ(point.compute_samples_per_sec.value(), 30 / (100 - 1.1 / 3 * 71));
  EXPECT_FALSE(point.communication.peer_wait_s || point.communication.network_s);
}

// Ranks that do not wait for each other: the sum of each step's longest times is more than the
// longest wall, and was what the rate without waits used to be divided by.
TEST(Assemble, WithoutWaitsForDataTheComputeRateIsTheThroughput) {
  auto ranks = by_hand();
  for (auto& rank : ranks) {
    rank.series.counted_data_wait_s = {0, 0, 0};
    rank.record.wall_s = 0;
    for (const double step : rank.series.step_s) rank.record.wall_s += step;
  }
  const auto solo = assemble_point({.strategy = "none"}, ranks);
  EXPECT_EQ(solo.compute_samples_per_sec, solo.samples_per_sec);
  EXPECT_EQ(solo.samples_per_sec, 15.0);
  EXPECT_DOUBLE_EQ(solo.step_s.mean, 1.5);  // 60 / (3 x 1.5) would be 13.3
}

TEST(Assemble, WaitsForDataRaiseTheComputeRateAlsoOfRanksThatDoNotWait) {
  auto ranks = sample_measurements(3, 400);
  for (auto& rank : ranks)
    rank.series.counted_data_wait_s.assign(400, 0.005 * (rank.record.rank + 1));
  const auto point = assemble_point({.strategy = "none"}, ranks);
  EXPECT_GT(point.compute_samples_per_sec.value(), point.samples_per_sec);
}

// Own times of 7/6 and 5/6 s in the mean, 1.5 s of each step's slowest, steps of 1.25 s: what is
// made up need not be possible, and is taken apart without a limit.
TEST(Assemble, ExposedCommunicationIsWaitsForPeersAndTheNetwork) {
  const auto point = assemble_point({.strategy = "ddp"}, by_hand());
  EXPECT_NEAR(point.communication.peer_wait_s.value(), 0.5, 1e-12);
  EXPECT_NEAR(point.communication.network_s.value(), -0.25, 1e-12);
  EXPECT_NEAR(*point.communication.peer_wait_s + *point.communication.network_s,
              point.phases_s.value().exposed_communication, 1e-12);
}

TEST(Assemble, RefusesRanksThatMarkedDifferently) {
  auto ranks = thinned_by_hand();
  ranks[1].steps_per_mark = 20;
  EXPECT_THROW(assemble_point({}, ranks), Error);
  ranks = thinned_by_hand();
  for (auto& rank : ranks) rank.iterations = 68;  // three groups of 23 do not fit
  EXPECT_THROW(assemble_point({}, ranks), Error);
}

TEST(Assemble, NamesEachAttentionKernelOfEachRankOnce) {
  auto ranks = by_hand();
  EXPECT_FALSE(assemble_point({}, ranks).attention_backend);
  ranks[0].attention_backends = {"flash"};
  ranks[1].attention_backends = {"efficient", "flash"};
  EXPECT_EQ(assemble_point({}, ranks).attention_backend, "efficient+flash");
}

TEST(Assemble, ThePhasesOfARankThatSumToItsStepSumToTheMeanStep) {
  const auto point = assemble_point({}, by_hand());
  const auto& p = point.phases_s.value();
  const double sum = p.data_wait + p.host_to_device + p.forward + p.backward +
                     p.exposed_communication + p.optimizer + p.other;
  EXPECT_NEAR(sum, point.step_mean_over_ranks_s, 1e-12);
}

TEST(Assemble, TheIntervalHoldsTheRate) {
  const auto point = assemble_point({}, sample_measurements(2, 400));
  ASSERT_TRUE(point.within_run_ci95);
  EXPECT_LE(*point.within_run_ci95.low, point.samples_per_sec);
  EXPECT_GE(*point.within_run_ci95.high, point.samples_per_sec);
}

TEST(Assemble, ALossThatIsNotFiniteIsAStatus) {
  auto ranks = sample_measurements(2);
  ranks[0].loss_last = NAN;
  const auto point = assemble_point({}, ranks);
  EXPECT_EQ(point.status, PointStatus::kFailed);
  EXPECT_EQ(point.reason, "the loss is not finite");
}

// A rank that is later than the other by 0.05 s in each step, and 0.1 s of network.
TEST(Assemble, OfASlowRankTheWaitsForItAreNoCommunication) {
  auto ranks = sample_measurements(2);
  for (auto& rank : ranks) {
    rank.series.step_s.assign(4, 0.6);
    rank.series.exposed_communication_s.assign(4, rank.record.rank == 0 ? 0.15 : 0.1);
    rank.record.phases_s->exposed_communication = rank.series.exposed_communication_s[0];
  }
  const auto point = assemble_point({.strategy = "ddp"}, ranks);
  EXPECT_NEAR(point.communication.peer_wait_s.value(), 0.025, 1e-12);
  EXPECT_NEAR(point.communication.network_s.value(), 0.1, 1e-12);
}

TEST(Assemble, NothingIsSaidOfTheNetworkWhereNothingIsExchanged) {
  for (const auto& ranks : {sample_measurements(1), sample_measurements(2)}) {
    const auto alone = assemble_point({.strategy = ranks.size() == 1 ? "ddp" : "none"}, ranks);
    EXPECT_FALSE(alone.communication.peer_wait_s || alone.communication.network_s);
  }
  const auto thinned = assemble_point({.strategy = "ddp"}, thinned_by_hand());
  EXPECT_FALSE(thinned.communication.peer_wait_s || thinned.communication.network_s);
}

// Seconds of blocks in ms, and own times that are less by `exposed`.
std::vector<CostBlock> blocks_of(const std::vector<double>& step_ms, double exposed_ms) {
  std::vector<CostBlock> blocks;
  for (const double ms : step_ms) {
    blocks.push_back({.step_s = 1e-3 * ms, .own_s = 1e-3 * (ms - exposed_ms)});
  }
  return blocks;
}

// The worked example of METRICS.md: the slowest rank of each block counts. Quadruples of
// (5.65, 4.45) and (5.55, 4.55) ms: costs of 1.2 and 1 ms, t(.975, 1) = 12.7062.
TEST(Assemble, CommunicationCostIsTheStepLessTheOneWithoutCommunication) {
  auto ranks = by_hand();
  EXPECT_FALSE(assemble_point({}, ranks).communication.cost_s);
  EXPECT_FALSE(assemble_point({}, ranks).noop_step_s);
  ranks[0].cost_blocks = blocks_of({5.7, 4.1, 4.4, 5.5, 5.5, 4.5, 4.6, 5.4}, 0.5);
  ranks[1].cost_blocks = blocks_of({5.6, 4.5, 4.2, 5.6, 5.4, 4.4, 4.5, 5.6}, 0.5);
  const auto point = assemble_point({.strategy = "ddp"}, ranks);
  const CommunicationTimes& costs = point.communication;
  EXPECT_NEAR(*point.noop_step_s, 4.5e-3, 1e-12);
  EXPECT_NEAR(*costs.cost_s, 1.1e-3, 1e-12);
  EXPECT_NEAR(costs.cost_ci95.low.value(), 1.1e-3 - 12.7062047 * 0.1e-3, 1e-9);
  EXPECT_NEAR(costs.cost_ci95.high.value(), 1.1e-3 + 12.7062047 * 0.1e-3, 1e-9);
  EXPECT_NEAR(*costs.efficiency, std::sqrt(4.45 / 5.65 * 4.55 / 5.55), 1e-12);
  EXPECT_LT(costs.efficiency_ci95.low.value(), *costs.efficiency);
  EXPECT_GT(costs.efficiency_ci95.high.value(), *costs.efficiency);
}

// Sixteen steps of two ranks; the means over ranks of eight pairs of steps are 0.5 s and, in half
// of them, 0.75 s: mean 0.625, s 0.133631, t(.975, 7) = 2.364624.
TEST(Assemble, ExposedCommunicationHasAnIntervalOverPartsOfTheWindow) {
  auto ranks = by_hand();
  for (auto& rank : ranks) {
    rank.iterations = 16;
    rank.series.step_s.assign(16, 2.0);
    rank.series.counted_data_wait_s.assign(16, 0.0);
    rank.series.exposed_communication_s.assign(16, 0.5);
    rank.record.wall_s = 32;
  }
  for (const std::size_t step : {0, 1, 4, 5, 8, 9, 12, 13}) {
    ranks[0].series.exposed_communication_s[step] = 1.0;
  }
  const CommunicationTimes costs = assemble_point({.strategy = "ddp"}, ranks).communication;
  EXPECT_DOUBLE_EQ(*costs.peer_wait_s + *costs.network_s, 0.625);
  const double half_width = 2.364624 * 0.1336306 / std::sqrt(8.0);
  EXPECT_NEAR(costs.exposed_ci95.low.value(), 0.625 - half_width, 1e-6);
  EXPECT_NEAR(costs.exposed_ci95.high.value(), 0.625 + half_width, 1e-6);
  EXPECT_FALSE(assemble_point({.strategy = "ddp"}, by_hand()).communication.exposed_ci95.low)
      << "three steps";
}

// Free communication: what ranks wait for each other when they exchange, they do not without, and
// the slowest rank of each step is not slower. The old formula (cost less waits of the window) gave
// jitter for contention.
TEST(Assemble, ContentionIsOwnTimeWithAndWithoutCommunicationAndNotJitter) {
  auto ranks = by_hand();
  const std::vector<double> own_s = {1.0, 1.25};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (int i = 0; i < 16; ++i) {
      const bool with = i % 4 == 0 || i % 4 == 3;
      ranks[r].cost_blocks.push_back({.step_s = with ? 1.5 : own_s[r], .own_s = own_s[r]});
    }
  }
  auto point = assemble_point({.strategy = "ddp"}, ranks);
  EXPECT_DOUBLE_EQ(point.communication.contention_s.value(), 0);
  EXPECT_DOUBLE_EQ(point.communication.cost_s.value(), 0.25);
  // Ranks wait for 0.375 s in the mean, of which the slower one keeps 0.125 without a network.
  EXPECT_DOUBLE_EQ(point.communication.noop_imbalance_s.value(), 0.125);
  for (auto& rank : ranks) {
    for (int i : {0, 3, 4, 7, 8, 11, 12, 15}) {
      rank.cost_blocks[static_cast<std::size_t>(i)].own_s.value() += 0.125;
    }
  }
  point = assemble_point({.strategy = "ddp"}, ranks);
  EXPECT_DOUBLE_EQ(point.communication.contention_s.value(), 0.125);
  EXPECT_DOUBLE_EQ(point.communication.contention_ci95.low.value(), 0.125);
}

TEST(Assemble, ContentionIsAbsentWithoutPhasesAndBlocksMustBeQuadruples) {
  auto ranks = by_hand();
  for (auto& rank : ranks) rank.cost_blocks = blocks_of({5, 4, 4, 5}, 0.5);
  ranks[1].cost_blocks[2].own_s.reset();
  const auto point = assemble_point({.strategy = "ddp"}, ranks);
  EXPECT_NEAR(point.communication.cost_s.value(), 1e-3, 1e-12);
  EXPECT_FALSE(point.communication.contention_s || point.communication.cost_ci95.low);
  ranks[1].cost_blocks.pop_back();
  EXPECT_THROW(assemble_point({.strategy = "ddp"}, ranks), Error);
  ranks[0].cost_blocks.pop_back();
  EXPECT_THROW(assemble_point({.strategy = "ddp"}, ranks), Error);
}

TEST(Assemble, WhereNothingIsExchangedThereIsNoCostOfIt) {
  auto ranks = by_hand();
  for (auto& rank : ranks) rank.cost_blocks = blocks_of({5, 4, 4, 5}, 0.5);
  const auto expect_none = [](const PointRecord& point) {
    const CommunicationTimes& costs = point.communication;
    EXPECT_FALSE(costs.cost_s || costs.contention_s || costs.efficiency || point.noop_step_s);
  };
  expect_none(assemble_point({.strategy = "none"}, ranks));
  ranks.resize(1);
  expect_none(assemble_point({.strategy = "ddp"}, ranks));
}

// Two epochs with a barrier between: 2 + 2 s passed, not the 3 s of the slower sum.
TEST(Assemble, TheWallOfSeveralStretchesIsTheSumOfTheSlowestRanks) {
  auto ranks = by_hand();
  ranks[0].series.stretch_wall_s = {1, 2};
  ranks[1].series.stretch_wall_s = {2, 0.5};
  ranks[0].record.wall_s = 3;
  ranks[1].record.wall_s = 2.5;
  const auto point = assemble_point({}, ranks);
  EXPECT_EQ(point.wall_s, 4.0);
  EXPECT_DOUBLE_EQ(point.samples_per_sec, 15.0);
  EXPECT_EQ(point.ranks[0].wall_s, 2.5);
  ranks[1].series.stretch_wall_s.pop_back();
  EXPECT_THROW(assemble_point({}, ranks), Error);
}

TEST(Assemble, ReservedMemoryIsTheLargestOfAnyRank) {
  auto ranks = by_hand();
  EXPECT_FALSE(assemble_point({}, ranks).memory_reserved_bytes);
  ranks[0].record.memory_reserved_bytes = 300;
  ranks[1].record.memory_reserved_bytes = 200;
  const auto point = assemble_point({}, ranks);
  EXPECT_EQ(point.memory_reserved_bytes, 300u);
  EXPECT_EQ(point.ranks[0].memory_reserved_bytes, 200u);
}

TEST(Assemble, EnergyIsThatOfEveryMachineOrAbsent) {
  auto ranks = by_hand();
  PointRecord cpu;
  cpu.device = "cpu";
  ranks[0].record.host = ranks[1].record.host = "n1";
  EXPECT_FALSE(assemble_point(cpu, ranks).energy_J);
  ranks[0].energy_J = {100, 20};  // two packages; the first rank of a machine reads them
  EXPECT_DOUBLE_EQ(assemble_point(cpu, ranks).energy_J.value(), 120);
  ranks[1].record.host = "n2";
  EXPECT_FALSE(assemble_point(cpu, ranks).energy_J);
  ranks[1].energy_J = {130};
  EXPECT_DOUBLE_EQ(assemble_point(cpu, ranks).energy_J.value(), 250);
  PointRecord cuda;
  cuda.device = "cuda";
  ranks[1].record.host = "n1";
  EXPECT_DOUBLE_EQ(assemble_point(cuda, ranks).energy_J.value(), 250);
  ranks[1].energy_J.clear();
  EXPECT_FALSE(assemble_point(cuda, ranks).energy_J);
}

// The ranks of a run reduce each step's largest values, and gather summaries alone.
TEST(Assemble, GivesTheSameFromSummariesAndTheReducedSeries) {
  const auto ranks = sample_measurements(3, 400);
  auto gathered = ranks;
  StepSeries series = condense(gathered[0]);
  take_largest(series, condense(gathered[2]));
  take_largest(series, condense(gathered[1]));
  for (auto& rank : gathered) rank = from_wire<RankMeasurement>(to_wire(rank));
  EXPECT_TRUE(gathered[0].series.step_s.empty()) << "it does not travel";
  const auto text_of = [](const PointRecord& point) {
    Report report;
    report.points = {point};
    return to_json(report);
  };
  EXPECT_EQ(text_of(assemble_point({}, gathered, series)), text_of(assemble_point({}, ranks)));
  series.max_own_s.pop_back();
  EXPECT_THROW(assemble_point({}, gathered, series), Error);
}

// Fewer training samples than ranks: the last has the sampler's repetitions and nothing else.
TEST(Assemble, ARankMayHoldPaddingOnly) {
  auto ranks = by_hand();
  ranks[0].record.samples = ranks[0].tokens = 0;
  ranks[0].padded = 31;
  const auto point = assemble_point({}, ranks);
  EXPECT_EQ(point.status, PointStatus::kOk);
  EXPECT_EQ(point.samples, 30);
  EXPECT_EQ(point.padded, 32);
  EXPECT_DOUBLE_EQ(*point.non_pad_share, 310.0 / 620);  // 62 rows were computed
}

TEST(Assemble, RefusesRanksThatContradictEachOther) {
  EXPECT_THROW(assemble_point({}, std::vector<RankMeasurement>{}), Error);
  auto ranks = sample_measurements(2);
  ranks[1].iterations = 3;
  EXPECT_THROW(assemble_point({}, ranks), Error);
  ranks = sample_measurements(2);
  ranks[1].series.exposed_communication_s.pop_back();
  EXPECT_THROW(assemble_point({}, ranks), Error);
  ranks = sample_measurements(2);
  ranks[0].record.wall_s = 0;
  EXPECT_THROW(assemble_point({}, ranks), Error);
}

// Its own series are no rank's: the engine hands over those of the ranks alone.
TEST(Assemble, OfADedicatedServerOnlyMemoryAndEnergyCount) {
  StepSeries series;
  std::vector<RankMeasurement> processes;
  for (auto& rank : by_hand()) {
    rank.energy_J = {10};
    rank.record.host = "a";
    const StepSeries its = condense(rank);
    if (processes.empty()) series = its;
    take_largest(series, its);
    processes.push_back(rank);
  }
  RankMeasurement server = by_hand()[0];
  server.record.rank = 2;
  server.serves = true;
  server.record.host = "b";
  server.record.samples = server.tokens = server.padded = server.non_pad_tokens = 0;
  server.loss_first = server.loss_last = 0;
  server.record.memory_peak_bytes = 1000;
  server.energy_J = {5};
  const auto alone = assemble_point({.device = "cpu", .world_size = 2}, processes, series);
  condense(server);
  processes.push_back(server);
  const auto point =
      assemble_point({.device = "cpu", .world_size = 2, .processes = 3}, processes, series);
  EXPECT_EQ(point.ranks.size(), 2u);
  EXPECT_EQ(point.samples_per_sec, alone.samples_per_sec);
  EXPECT_EQ(point.samples_per_sec_per_rank, 7.5);
  EXPECT_EQ(point.step_mean_over_ranks_s, alone.step_mean_over_ranks_s);
  EXPECT_EQ(point.loss_last, alone.loss_last);
  EXPECT_EQ(point.memory_peak_bytes, 1000u);
  EXPECT_EQ(point.server_memory_peak_bytes, 1000u);
  EXPECT_EQ(point.energy_J, 25);
  EXPECT_EQ(alone.memory_peak_bytes, 101u);
  EXPECT_FALSE(alone.server_memory_peak_bytes);
}

TEST(Assemble, MfuAgainstTheDatasheet) {
  PointRecord identity;
  identity.device = "cuda";
  identity.device_name = "NVIDIA H200";
  identity.precision = "amp-bf16";
  identity.flops_per_sample = 1e13;
  identity.world_size = 2;
  const auto point = assemble_point(identity, by_hand());
  EXPECT_NEAR(*point.mfu, 15 * 1e13 / (2 * 989.5e12), 1e-12);
  EXPECT_NE(point.mfu_peak_source->find("H200 datasheet"), std::string::npos);
  identity.device = "cpu";
  EXPECT_FALSE(assemble_point(identity, by_hand()).mfu);
}

TEST(PeakFlops, KnowsChipsByTheirWholeName) {
  EXPECT_EQ(peak_flops("NVIDIA A100-SXM4-80GB", "amp-fp16")->per_sec, 312e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 80GB HBM3", "tf32")->per_sec, 494.5e12);
  EXPECT_EQ(peak_flops("Tesla V100-SXM2-16GB", "fp32")->per_sec, 15.7e12);
  EXPECT_FALSE(peak_flops("Tesla V100-SXM2-16GB", "amp-bf16"));
  EXPECT_FALSE(peak_flops("Tesla V100-SXM2-16GB", "tf32"));
  EXPECT_FALSE(peak_flops("NVIDIA A100-SXM4-80GB MIG 1g.10gb", "amp-fp16"));
  EXPECT_FALSE(peak_flops("NVIDIA GeForce RTX 4090 Laptop GPU", "amp-fp16"));
  EXPECT_FALSE(peak_flops("", "fp32"));
  EXPECT_EQ(peak_flops("NVIDIA B200", "amp-bf16")->per_sec, 2250e12);
  EXPECT_EQ(peak_flops("NVIDIA GB300", "tf32")->per_sec, 1250e12);
  EXPECT_EQ(peak_flops("NVIDIA GB300", "fp32")->per_sec, 80e12);
  EXPECT_EQ(peak_flops("NVIDIA H100 NVL", "fp32")->per_sec, 60e12);
  EXPECT_EQ(peak_flops("Quadro RTX 8000", "amp-fp16")->per_sec, 130.5e12);
  EXPECT_EQ(peak_flops("NVIDIA H200", "bf16")->per_sec, 989.5e12);
  EXPECT_EQ(peak_memory_bandwidth("NVIDIA H200")->per_sec, 4800e9);
  EXPECT_FALSE(peak_memory_bandwidth("NVIDIA B200")) << "two sheets differ";
  EXPECT_FALSE(peak_flops("NVIDIA H20", "amp-bf16")) << "there is no datasheet of NVIDIA's own";
}

std::set<std::string> codes(const PointRecord& point, const FindingContext& context) {
  std::set<std::string> found;
  for (const auto& finding : findings_of(point, context)) found.insert(finding.code);
  return found;
}

TEST(Findings, AQuietLongRunHasNoneButASecondRepetitionIsMissed) {
  auto point = sample_point(1);
  point.steady = true;
  point.iterations = 1000;
  point.wall_s = 100;
  point.ranks[0].data_wait_s = 0;
  EXPECT_EQ(codes(point, {}), std::set<std::string>{"single_repetition"});
  EXPECT_TRUE(codes(point, {.repetitions = 5}).empty());
}

TEST(Findings, SaysWhatAReaderShouldKnow) {
  auto point = sample_point(2);
  point.threads = 2;
  point.steady = false;
  point.padded = 1;
  point.skipped.push_back({"x", "y"});
  point.replaced_bytes = 12;
  point.files_left_out = {{"HDF5 file", 6}};
  point.step_s.max = 100;
  point.ranks[0].data_wait_s = 0.3;
  point.communication.network_s = 0.4;
  std::vector<monitoring::Host> hosts(1);
  hosts[0].hostname = "n1";
  hosts[0].cores.usable = 2;
  EXPECT_EQ(codes(point, {hosts, {{"OMP_NUM_THREADS", "1"}, {"NCCL_BLOCKING_WAIT", "1"}}, 2}),
            (std::set<std::string>{"not_steady", "short_window", "slow_steps", "threads_variable",
                                   "old_variable", "too_many_threads", "padding", "skipped_samples",
                                   "text_broken", "files_left_out", "data_wait", "communication"}));
  point.status = PointStatus::kOom;
  EXPECT_TRUE(codes(point, {}).empty());
}

TEST(Findings, WaitsForDataAreOfLoadersOnlyWhereFilesAreRead) {
  auto point = sample_point(1);
  point.ranks[0].data_wait_s = 0.3;
  const auto says = [&](const FindingContext& context, const char* what) {
    const auto list = findings_of(point, context);
    const auto found = std::ranges::find(list, "data_wait", &Finding::code);
    return found != list.end() && found->text.ends_with(what);
  };
  const char* in_loop = ": the loop makes its own random data";
  EXPECT_TRUE(says({}, ": the host was held up"));
  EXPECT_TRUE(says({.synthetic_in_loop = true}, in_loop));
  point.varying["synthetic_in_loop"] = "off";
  EXPECT_TRUE(says({.synthetic_in_loop = true}, ": the host was held up"));
  point.varying["synthetic_in_loop"] = "on";
  EXPECT_TRUE(says({}, in_loop));
  point.data = "/photos";
  EXPECT_TRUE(says({}, ": more --workers, or data that is cheaper to read"));
}

PointRecord bound_point(const char* first, const char* second, int threads) {
  auto point = sample_point(2);
  point.threads = threads;
  point.ranks[0].cpus = first;
  point.ranks[1].cpus = second;
  return point;
}

std::string text_of(const PointRecord& point, std::vector<monitoring::Host> hosts,
                    std::string_view code) {
  std::string text;
  for (const auto& finding : findings_of(point, {.hosts = hosts})) {
    if (finding.code == code) text += finding.text + "\n";
  }
  return text;
}

// The host survey has the affinity of one rank only.
TEST(Findings, TheCpusOfAllRanksCount) {
  std::vector<monitoring::Host> hosts(1);
  hosts[0].hostname = "n1";
  hosts[0].cores.usable = 1;
  const FindingContext context{.hosts = hosts};
  EXPECT_FALSE(codes(bound_point("0", "1", 1), context).contains("too_many_threads"));
  EXPECT_FALSE(codes(bound_point("0-3", "0-3", 2), context).contains("too_many_threads"));
  EXPECT_TRUE(codes(bound_point("0-3", "0-3", 3), context).contains("too_many_threads"));
  EXPECT_TRUE(codes(bound_point("0-1", "2", 2), context).contains("too_many_threads"));
  hosts[0].cgroup.cpus = 1.5;
  EXPECT_TRUE(codes(bound_point("0", "1", 1), context).contains("too_many_threads"));
}

// Each rank may have a control group of its own, and the host survey has that of one rank only.
TEST(Findings, AQuotaOfOneRankCrowdsThatRankAlone) {
  std::vector<monitoring::Host> hosts(1);
  hosts[0].hostname = "n1";
  hosts[0].cores.usable = 4;
  auto point = bound_point("0-3", "0-3", 1);
  point.ranks[1].cpu_limit = 0.12;
  EXPECT_EQ(text_of(point, hosts, "too_many_threads"),
            "rank 1 may use 0.12 CPUs (its quota) for 1 thread\n");
  point.ranks[0].cpu_limit = hosts[0].cgroup.cpus = 1.5;
  point.ranks[1].cpu_limit.reset();
  EXPECT_EQ(text_of(point, hosts, "too_many_threads"), "") << "rank 0 has 1.5 CPUs for itself";
  point.ranks[1].cpu_limit = 1.5;
  EXPECT_NE(text_of(point, hosts, "too_many_threads"), "") << "both have 1.5 CPUs";
}

TEST(Findings, ReplicasInOneProcessCostLessThanPythons) {
  auto point = sample_point(1);
  point.world_size = 2;
  point.strategy = "data-parallel";
  point.threads = 2;
  std::vector<monitoring::Host> hosts(1);
  hosts[0].hostname = "n1";
  hosts[0].cores.usable = 3;
  EXPECT_TRUE(codes(point, {.hosts = hosts}).contains("replicas_in_one_process"));
  EXPECT_TRUE(codes(point, {.hosts = hosts}).contains("too_many_threads"));
  EXPECT_TRUE(has_exchange(point));
  hosts[0].cores.usable = 4;
  EXPECT_FALSE(codes(point, {.hosts = hosts}).contains("too_many_threads"));
  EXPECT_FALSE(codes(sample_point(2), {}).contains("replicas_in_one_process"));
}

TEST(Findings, ShowWhereRanksAreBound) {
  const auto text = [](const PointRecord& point) {
    for (const auto& finding : findings_of(point, {})) {
      if (finding.code == "ranks_bound") return finding.text;
    }
    return std::string();
  };
  EXPECT_EQ(text(bound_point("0-3", "0-3", 1)), "");
  EXPECT_EQ(text(bound_point("", "", 1)), "");
  EXPECT_EQ(text(bound_point("0-1", "2-3", 1)),
            "ranks are bound: rank 0 to CPUs 0-1; rank 1 to CPUs 2-3");
  auto near_memory = bound_point("0-1", "0-1", 1);
  near_memory.ranks[1].memory_node = 0;
  EXPECT_EQ(text(near_memory), "ranks are bound: rank 1 to CPUs 0-1, memory node 0");
  auto many = sample_point(6);
  for (auto& rank : many.ranks) rank.cpus = std::to_string(rank.rank);
  EXPECT_EQ(text(many),
            "ranks are bound: rank 0 to CPUs 0; rank 1 to CPUs 1; rank 2 to CPUs 2; rank 3 to CPUs "
            "3; and 2 more");
}

// The sweep judges them all together.
TEST(Findings, OfThreeRunsAndMoreNoneSpeaksOfItsOwnWindow) {
  auto point = sample_point(1);
  for (const std::optional<bool> steady : {std::optional<bool>(false), std::optional<bool>()}) {
    point.steady = steady;
    const char* code = steady ? "not_steady" : "steady_unknown";
    EXPECT_TRUE(codes(point, {.repetitions = 2}).contains(code));
    EXPECT_FALSE(codes(point, {.repetitions = 3}).contains(code));
  }
}

// One rank whose steps become longer half-way, marked every 5th step.
TEST(Assemble, ReportsWhereTheLevelChanges) {
  RankMeasurement rank{
      .record = {.samples = 10, .wall_s = 1}, .iterations = 2000, .steps_per_mark = 5};
  rank.warmup_settled = false;
  for (int i = 0; i < 400; ++i) {
    const double noise = 1e-3 * ((i * 7919 % 1009) / 1009.0 - 0.5);
    rank.series.step_s.push_back((i < 200 ? 0.1 : 0.11) * (1 + noise));
  }
  const auto point = assemble_point({}, std::vector{rank});
  EXPECT_EQ(point.steady, false) << point.steady_reason;
  EXPECT_EQ(point.change_point_step, 1000);
  EXPECT_EQ(point.biases.size(), 5u);
  EXPECT_GT(point.bias_bound.value(), 0.01);
  EXPECT_EQ(point.warmup_settled, false);
}

// A point whose ranks' windows took `walls`, each within `around` of its own clock.
PointRecord point_between_barriers(const std::vector<double>& walls,
                                   const std::vector<double>& around, double step_s = 0.01) {
  auto point = sample_point(static_cast<int>(walls.size()));
  point.iterations = static_cast<std::int64_t>(walls.front() / step_s);
  for (std::size_t i = 0; i < walls.size(); ++i) {
    point.ranks[i].host = "n" + std::to_string(i);
    point.ranks[i].wall_s = walls[i];
    point.ranks[i].around_s = around[i];
  }
  return point;
}

// "clocks_disagree" and its place; empty: they agree.
std::string clocks_of(const PointRecord& point) {
  for (const auto& finding : findings_of(point, {})) {
    if (finding.code != "clocks_disagree") continue;
    return finding.severity + (finding.place ? " of " + finding.place->host + " " +
                                                   std::to_string(*finding.place->rank)
                                             : "");
  }
  return {};
}

TEST(Findings, ClocksOfRanksDisagreeBetweenTheSameBarriers) {
  EXPECT_EQ(clocks_of(point_between_barriers({13.02, 13.02}, {13.03, 13.03})), "");
  EXPECT_EQ(clocks_of(point_between_barriers({13.02, 18.02}, {13.03, 18.03})), "error");
  EXPECT_EQ(clocks_of(point_between_barriers({13, 13, 18}, {13.1, 13.1, 18.1})), "error of n2 2");
  EXPECT_EQ(clocks_of(point_between_barriers({13, 11, 13}, {13.1, 11.1, 13.1})), "error of n1 1");
  // 50 ms, 1 % and a step of 1 s are allowed.
  EXPECT_EQ(clocks_of(point_between_barriers({1, 1.04}, {1, 1.04})), "");
  EXPECT_EQ(clocks_of(point_between_barriers({1, 1.06}, {1, 1.06})), "error");
  EXPECT_EQ(clocks_of(point_between_barriers({20, 20.19}, {20, 20.19})), "");
  EXPECT_EQ(clocks_of(point_between_barriers({20, 20.21}, {20, 20.21})), "error");
  EXPECT_EQ(clocks_of(point_between_barriers({10, 10.9}, {10, 10.9}, 1)), "");
}

// Independent replicas end one after the other, and a rank may be kept from a CPU at a barrier: the
// others wait for it, by their own clocks, too.
TEST(Findings, ClocksAgreeWhereRanksOnlyWait) {
  EXPECT_EQ(clocks_of(point_between_barriers({10, 15}, {15.01, 15.01})), "");
  EXPECT_EQ(clocks_of(point_between_barriers({10, 15, 12}, {15.01, 15.6, 15.2})), "");
  EXPECT_EQ(clocks_of(point_between_barriers({10, 15}, {12, 15.01})), "error");
  auto older = point_between_barriers({13, 18}, {13, 18});
  for (auto& rank : older.ranks) rank.around_s.reset();
  EXPECT_EQ(clocks_of(older), "");
}

// No faster network helps against a slow rank.
TEST(Findings, WaitsForPeersAreNoCommunication) {
  auto point = sample_point(2);
  point.phases_s.value().exposed_communication = 0.4;
  point.communication.peer_wait_s = 0.3;
  point.communication.network_s = 0.1;
  EXPECT_FALSE(codes(point, {}).contains("communication"));
  point.communication.network_s.reset();  // it is not known: nothing is reported
  EXPECT_FALSE(codes(point, {}).contains("communication"));
}

TEST(Findings, ShowWhatCommunicationCosts) {
  auto point = sample_point(2);
  point.noop_step_s = 4.45e-3;
  point.communication = {.cost_s = 1.2e-3};
  const auto cost_text = [&] {
    const auto findings = findings_of(point, {.repetitions = 5});
    const auto found = std::ranges::find(findings, "communication_cost", &Finding::code);
    return found == findings.end() ? "nothing" : found->text;
  };
  EXPECT_EQ(cost_text(),
            "communication costs 1.200 ms of a step of 5.650 ms, communication efficiency 78.8 %");
  point.communication = {.cost_s = 1.2e-3,
                         .contention_s = 0.3e-3,
                         .efficiency = 0.79,
                         .cost_ci95 = {1.1e-3, 1.3e-3},
                         .contention_ci95 = {-0.1e-3, 0.7e-3},
                         .efficiency_ci95 = {0.78, 0.8}};
  EXPECT_EQ(cost_text(),
            "communication costs 1.200 ms (1.100 to 1.300) of a step of 5.650 ms, communication "
            "efficiency 79.0 % (78.0 to 80.0), contention 0.300 ms (-0.100 to 0.700); in brackets "
            "95 % intervals within this run");
}

TEST(Findings, AnMfuAboveOneIsAnError) {
  auto point = sample_point(1);
  point.device = "cuda";
  EXPECT_TRUE(codes(point, {}).contains("mfu_unknown"));
  point.mfu = 1.2;
  EXPECT_TRUE(codes(point, {}).contains("mfu_implausible"));
}

monitoring::Host host_with(monitoring::Gpu gpu) {
  monitoring::Host host;
  host.gpus = {std::move(gpu)};
  host.visible_gpus = {0};
  return host;
}

TEST(Findings, AGpuThatIsNewerThanTheBuildIsReportedOnce) {
  auto point = sample_point(1);
  monitoring::Gpu gpu{.name = "NVIDIA Z1", .driver = "999"};
  gpu.compute_major = 13;
  gpu.compute_minor = 0;
  const auto host = host_with(gpu);
  EXPECT_EQ(text_of(point, {host}, "gpu_code_compiled"), "");  // a CPU point
  point.device = "cuda";
  EXPECT_EQ(text_of(point, {host, host}, "gpu_code_compiled"),
            "NVIDIA Z1 is newer than this build: compute_90 code, compiled by the driver at the "
            "first start, which makes that start slower\n");
  gpu.compute_major = 9;
  EXPECT_EQ(text_of(point, {host_with(gpu)}, "gpu_code_compiled"), "");
}

TEST(Findings, MissingEnergyOfAMigInstanceIsExplained) {
  auto point = sample_point(1);
  point.device = "cuda";
  point.device_name = "A100 MIG 1g.5gb";
  point.energy_J.reset();
  monitoring::Gpu gpu{.name = "A100", .driver = "580"};
  gpu.mig_instances = {{.name = "A100 MIG 1g.5gb", .uuid = "MIG-1"}};
  EXPECT_EQ(text_of(point, {host_with(gpu)}, "energy_unknown"),
            "no energy: A100 MIG 1g.5gb is a slice of a GPU, and the driver counts whole GPUs "
            "only\n");
  point.device_name = "A100";
  EXPECT_EQ(text_of(point, {host_with(gpu)}, "energy_unknown"), "");
}

TEST(Findings, MissingEnergyWithoutNvmlIsExplained) {
  auto point = sample_point(1);
  point.device = "cuda";
  point.device_name = "T4";
  point.energy_J.reset();
  auto host = host_with({.name = "T4"});
  host.gpu_note = "no NVIDIA driver library: libnvidia-ml.so.1";
  EXPECT_EQ(text_of(point, {host}, "energy_unknown"), "no energy: " + host.gpu_note + "\n");
  point.energy_J = 5;
  EXPECT_EQ(text_of(point, {host}, "energy_unknown"), "");
}

}  // namespace
}  // namespace scalemark::reporting
