#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/reporting/sweep/summary.h"
#include "tests/core/reporting/sample_sweep.h"

namespace scalemark::reporting {
namespace {

// A run with times that can be reckoned by hand: T = 0.1 s on one rank.
PointRecord run_of(const std::string& group, int ranks, double step_s, int block) {
  PointRecord run;
  run.group = group;
  run.id = group + "/r" + std::to_string(block);
  run.workload = "mlp";
  run.strategy = ranks == 1 ? "none" : "ddp";
  run.device = "cpu";
  run.data = "synthetic";
  run.world_size = run.processes = ranks;
  run.batch_size = 10;
  run.gradient_accumulation_steps = 1;
  run.global_batch_size = 10 * ranks;
  run.repetition = run.block = block;
  run.started = "2026-01-02T03:04:0" + std::to_string(block) + "Z";
  run.iterations = 100;
  run.samples = 1000 * ranks;
  run.wall_s = 100 * step_s;
  run.samples_per_sec = static_cast<double>(run.samples) / run.wall_s;
  run.own_mean_s = run.own_max_of_rank_means_s = step_s;
  run.own_mean_of_step_max_s = step_s;
  for (int r = 0; r < ranks; ++r) {
    RankRecord& rank = run.ranks.emplace_back();
    rank.rank = r;
    rank.own_mean_s = step_s;
    rank.own_mean_ln = std::log(step_s);
    rank.data_wait_s = 0;
  }
  return run;
}

std::vector<PointRecord> two_ranks(int blocks) {
  std::vector<PointRecord> points;
  for (int block = 0; block < blocks; ++block) {
    points.push_back(run_of("one", 1, 0.1, block));
    PointRecord two = run_of("two", 2, 0.125, block);
    two.own_mean_s = 0.105;
    two.own_max_of_rank_means_s = 0.11;
    two.own_mean_of_step_max_s = 0.115;
    two.ranks[1].own_mean_s = 0.2;
    points.push_back(two);
  }
  return points;
}

double sum_of(const LossOfEfficiency& loss) {
  return loss.slower_compute + loss.data_wait + loss.persistent_imbalance +
         loss.jitter.value_or(0) + loss.communication;
}

bool has_finding(const SweepSummary& summary, const std::string& code) {
  return std::ranges::any_of(summary.findings, [&](const auto& f) { return f.code == code; });
}

TEST(SummariseSweep, TwoRanksByHand) {  // T 0.1 -> 0.125 s: E = 0.8; terms 5, 5, 5, 10 ms of 25
  const auto points = two_ranks(3);
  const auto summary = summarise_sweep(points);
  ASSERT_EQ(summary.groups.size(), 2u);
  EXPECT_NEAR(*summary.groups[0].samples_per_sec, 100, 1e-9);
  EXPECT_EQ(summary.groups[1].status_counts.at("ok"), 3);

  ASSERT_EQ(summary.scaling.size(), 1u);
  const ScalingTable& table = summary.scaling[0];
  EXPECT_EQ(table.kind, "weak");
  EXPECT_EQ(table.relative_to, "1 rank without communication");
  EXPECT_EQ(table.fixed.at("batch_size"), "10");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_DOUBLE_EQ(table.rows[0].efficiency, 1);
  const ScalingRow& row = table.rows[1];
  EXPECT_NEAR(row.speedup, 1.6, 1e-12);
  EXPECT_NEAR(row.efficiency, 0.8, 1e-12);
  EXPECT_EQ(row.points, (std::vector<std::string>{"two/r0", "two/r1", "two/r2"}));
  ASSERT_TRUE(row.loss_of_efficiency);
  EXPECT_NEAR(row.loss_of_efficiency->communication, 0.08, 1e-12);
  EXPECT_NEAR(row.loss_of_efficiency->jitter.value(), 0.04, 1e-12);
  EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 0.2, 1e-12);
  EXPECT_EQ(row.slowest_rank, 1);
  EXPECT_EQ(row.in_words,
            "2.00x -> 1.60x: communication -0.16, imbalance -0.08 (rank 1), jitter -0.08, "
            "slower compute -0.08");
}

TEST(SummariseSweep, PairsOnlyWithinBlockAndSession) {
  auto points = two_ranks(3);
  points[4].session = 1;  // the baseline of block 2 ran in another session
  const auto summary = summarise_sweep(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].left_out, std::vector<std::string>{"two/r2"});
  EXPECT_EQ(summary.scaling[0].rows[1].points.size(), 2u);
  EXPECT_TRUE(has_finding(summary, "baseline_elsewhere"));
}

TEST(SummariseSweep, EfficiencyAboveOneIsNotClipped) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 3; ++block) {
    points.push_back(run_of("one", 1, 0.1, block));
    points.push_back(run_of("two", 2, 0.08 + 1e-5 * block, block));
  }
  const auto summary = summarise_sweep(points);
  EXPECT_GT(summary.scaling.at(0).rows.at(1).efficiency, 1.24);
  EXPECT_TRUE(has_finding(summary, "superlinear"));
}

TEST(SummariseSweep, WithoutABaselineRelativeToTheSmallest) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 2; ++block) {
    PointRecord one = run_of("one", 1, 0.1, block);
    one.status = PointStatus::kOom;
    points.push_back(one);
    points.push_back(run_of("two", 2, 0.1, block));
    points.push_back(run_of("four", 4, 0.125, block));
  }
  const auto summary = summarise_sweep(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].relative_to, "2 ranks");
  EXPECT_NEAR(summary.scaling[0].rows.at(1).efficiency, 0.8, 1e-12);
  EXPECT_NEAR(summary.scaling[0].rows.at(1).speedup, 1.6, 1e-12);
  EXPECT_TRUE(has_finding(summary, "baseline_missing"));
  EXPECT_FALSE(summary.groups[0].samples_per_sec);
  EXPECT_EQ(summary.groups[0].status_counts.at("oom"), 2);
}

TEST(SummariseSweep, StrongSlicesFixTheGlobalBatch) {
  std::vector<PointRecord> points;
  for (int block = 0; block < 2; ++block) {
    PointRecord one = run_of("one", 1, 0.4, block), four = run_of("four", 4, 0.125, block);
    one.batch_size = one.global_batch_size = 40;
    one.samples_per_sec = 100;
    one.samples = 4000;
    points.push_back(one);
    points.push_back(four);
  }
  const auto summary = summarise_sweep(points);
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].kind, "strong-by-batch");
  EXPECT_EQ(summary.scaling[0].fixed.at("global_batch_size"), "40");
  const ScalingRow& row = summary.scaling[0].rows.at(1);
  EXPECT_NEAR(row.efficiency, 0.8, 1e-12);  // ideal 0.1 s, measured 0.125 s
  ASSERT_TRUE(row.loss_of_efficiency);
  EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 0.2, 1e-12);

  for (auto& point : points) {
    point.gradient_accumulation_steps = 4 / point.world_size;
    point.batch_size = 10;
  }
  EXPECT_EQ(summarise_sweep(points).scaling.at(0).kind, "strong-by-accumulation");
}

TEST(SummariseSweep, PlannedSlicesRule) {
  const auto points = two_ranks(2);
  const auto summary = summarise_sweep(
      points, {.slices = {{"strong-by-batch", {{"global_batch_size", "10"}}, "one", {"one"}}}});
  ASSERT_EQ(summary.scaling.size(), 1u);
  EXPECT_EQ(summary.scaling[0].kind, "strong-by-batch");
  EXPECT_EQ(summary.scaling[0].rows.size(), 1u);
}

TEST(SummariseSweep, PriceAndEnergy) {
  auto points = two_ranks(1);
  points[1].energy_J = 500;
  const auto summary = summarise_sweep(points, {.price_per_hour = 3.6, .launched_ranks = 4});
  EXPECT_NEAR(*summary.groups[0].samples_per_dollar, 100 * 3600 / 0.9, 1e-6);
  EXPECT_NEAR(*summary.groups[1].samples_per_dollar, 160 * 3600 / 1.8, 1e-6);
  EXPECT_FALSE(summary.groups[0].samples_per_joule);
  EXPECT_NEAR(*summary.groups[1].samples_per_joule, 4, 1e-12);
}

TEST(SummariseSweep, NothingFromNothing) {
  const auto summary = summarise_sweep({});
  EXPECT_TRUE(summary.groups.empty());
  EXPECT_TRUE(summary.scaling.empty());
  EXPECT_TRUE(summary.findings.empty());
  EXPECT_FALSE(summary.drift);
}

TEST(SummariseSweep, FindsWhatWasPlanted) {
  const auto points = sample_sweep_points({.steps = 60, .drift = 0.05});
  const auto summary = summarise_sweep(points);
  ASSERT_EQ(summary.scaling.size(), 3u);  // the files stand at one world size only
  for (const auto& table : summary.scaling) {
    for (const auto& row : table.rows) {
      ASSERT_TRUE(row.loss_of_efficiency);
      EXPECT_NEAR(sum_of(*row.loss_of_efficiency), 1 - row.efficiency, 1e-12);
    }
  }
  ASSERT_TRUE(summary.drift);
  EXPECT_NEAR(summary.drift->per_sweep, 0.05, 0.01);
  EXPECT_TRUE(has_finding(summary, "drift"));
  const auto& slow = summary.stragglers;
  ASSERT_FALSE(slow.empty());
  EXPECT_TRUE(std::ranges::all_of(slow, [](const auto& s) { return s.rank == 5; }));
  EXPECT_EQ(slow.front().verdict, "straggler");
  ASSERT_EQ(summary.data_gaps.size(), 1u);
  EXPECT_GT(summary.data_gaps[0].lost_share, 0.05);
  EXPECT_GT(*summary.data_gaps[0].lost_share_ci95_low, 0);
}

TEST(SummariseSweep, ADataGapIsBetweenPointsThatDifferInTheirDataOnly) {
  auto points = sample_sweep_points({.steps = 60});
  for (auto& point : points) {
    if (point.data != "synthetic") point.varying = {{"data", point.data}, {"workers", "8"}};
  }
  EXPECT_EQ(summarise_sweep(points).data_gaps.size(), 1u);
  for (auto& point : points) {
    if (point.data != "synthetic") point.varying["optimizer"] = "adam";
  }
  EXPECT_TRUE(summarise_sweep(points).data_gaps.empty());
}

TEST(Waterfall, SmallTermsAreAddedUp) {
  EXPECT_EQ(waterfall_in_words(8, 6.1, {0.005, 0.05, 0.075, 0, 0.1075}, 5),
            "8.0x -> 6.1x: communication -0.9, imbalance -0.6 (rank 5), data -0.4");
  EXPECT_EQ(waterfall_in_words(8, 7.9, {0.004, 0.004, 0.0045, 0, 0}, 5),
            "8.0x -> 7.9x: other -0.1");
  EXPECT_EQ(waterfall_in_words(2, 2.1, {-0.05, 0, 0, 0, 0}, {}),
            "2.00x -> 2.10x: slower compute +0.10");
}

}  // namespace
}  // namespace scalemark::reporting
