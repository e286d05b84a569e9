// How well the points of a sweep are known: where variance comes from, communication cost over
// repetitions, normality, and what --until-ci is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/judge/point/findings.h"
#include "report/judge/sweep/summary.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

// 100 steps of 22 ms that vary by `noise`, evenly mixed: independent enough.
PointRecord precise_run_of(const std::string& group, int block, double speed, double noise = 0.01) {
  PointRecord run;
  run.group = group;
  run.id = group + "/r" + std::to_string(block);
  run.workload = "mlp";
  run.strategy = "none";
  run.device = "cpu";
  run.data = "synthetic";
  run.world_size = run.processes = 1;
  run.batch_size = run.global_batch_size = 10;
  run.gradient_accumulation_steps = 1;
  run.repetition = run.block = block;
  run.iterations = 100;
  run.samples = 1000;
  for (int t = 0; t < 100; ++t) {
    const double wave = ((t * 37 + block * 11) % 100) / 50.0 - 0.99;
    run.step_samples_s.push_back(0.022 / speed * (1 + noise * wave));
    run.wall_s += run.step_samples_s.back();
  }
  run.samples_per_sec = 1000 / run.wall_s;
  run.outside_window_s = 0.5;
  run.warmup_iterations = 100;
  return run;
}

std::vector<PointRecord> runs_that_differ(double by, double noise = 0.01) {
  std::vector<PointRecord> runs;
  for (int k = 0; k < 10; ++k) {
    const double level = 1 + by * (((k * 7) % 10) - 4.5) / 3;
    runs.push_back(precise_run_of("one", k, level, noise));
  }
  return runs;
}

const Finding* finding(const Report& summary, const std::string& code) {
  const auto found = std::ranges::find(summary.findings, code, &Finding::code);
  return found == summary.findings.end() ? nullptr : &*found;
}

TEST(VarianceOfGroups, RunsThatDifferNeedMoreRuns) {
  const auto summary = summarised(runs_that_differ(0.01));
  const auto& variance = summary.groups.at(0).variance;
  ASSERT_TRUE(variance);
  EXPECT_NEAR(variance->between_runs, 0.01, 0.001);
  EXPECT_LT(variance->steps, 0.002);
  EXPECT_GT(*variance->beyond_steps_ci95.low, 0.005);
  EXPECT_NEAR(variance->window_s, 2.2, 0.01);
  EXPECT_NEAR(*variance->run_s, 0.5 + 2.2, 0.02) << "set-up and as many steps of warm-up";
  EXPECT_EQ(variance->buy, statistics::ReplicationLevel::kRuns);
  EXPECT_FALSE(variance->best_window_s);
  EXPECT_TRUE(variance->in_words.starts_with("runs differ by 1.0 %, steps explain 0."))
      << variance->in_words;
  EXPECT_TRUE(variance->in_words.ends_with(": longer windows will not help, more runs will"));
}

TEST(VarianceOfGroups, RunsThatDifferByTheirStepsNeedLongerWindows) {
  const auto summary = summarised(runs_that_differ(0.0001, 0.3));
  const auto& variance = summary.groups.at(0).variance;
  ASSERT_TRUE(variance);
  EXPECT_EQ(*variance->beyond_steps_ci95.low, 0);
  EXPECT_EQ(variance->buy, statistics::ReplicationLevel::kWindows) << variance->in_words;
  EXPECT_GT(*variance->best_window_s, 2 * variance->window_s);
  EXPECT_NE(variance->in_words.find(" instead of 2.2 s would give the same interval in "),
            std::string::npos)
      << variance->in_words;
}

TEST(VarianceOfGroups, WhatARunCostsMayBeUnknown) {
  auto runs = runs_that_differ(0.01);
  for (auto& run : runs) run.outside_window_s.reset();
  const auto summary = summarised(runs);
  const auto& variance = summary.groups.at(0).variance;
  ASSERT_TRUE(variance);
  EXPECT_FALSE(variance->run_s);
  EXPECT_EQ(variance->buy, statistics::ReplicationLevel::kUnsure);
  EXPECT_TRUE(summarised({runs.begin(), runs.begin() + 2}).groups.at(0).variance == std::nullopt);
}

TEST(VarianceOfGroups, SessionsAreALevelOfTheirOwn) {
  std::vector<PointRecord> runs;
  for (int k = 0; k < 9; ++k) {
    runs.push_back(precise_run_of("one", k, 1 + 0.05 * (k / 3) + 0.001 * (k % 3)));
    runs.back().session = k / 3;
  }
  const auto summary = summarised(runs);
  const auto& variance = summary.groups.at(0).variance;
  ASSERT_TRUE(variance && variance->sessions);
  EXPECT_NEAR(*variance->sessions, 0.048, 0.003);
  EXPECT_LT(variance->between_runs, 0.003);
  EXPECT_EQ(variance->buy, statistics::ReplicationLevel::kSessions);
  EXPECT_TRUE(variance->in_words.starts_with("sessions differ by 4.8 %, runs differ by 0."))
      << variance->in_words;
  EXPECT_TRUE(variance->in_words.ends_with(": more runs will not help, more sessions will"));
  runs.resize(6);
  const auto two = summarised(runs);
  EXPECT_TRUE(two.groups.at(0).variance.value().in_words.ends_with(
      ": two sessions give no interval: a third does"))
      << two.groups.at(0).variance->in_words;
}

// The blocks of --communication-cost grow with the window, but below 80 steps they do not shrink.
TEST(VarianceOfGroups, BlocksOfCommunicationCostCountAsTheyAreRun) {
  auto runs = runs_that_differ(0.01);
  for (auto& run : runs) run.noop_step_s = 0.02;
  EXPECT_NEAR(*summarised(runs).groups.at(0).variance->run_s, 2.7, 0.02);
  for (auto& run : runs) run.iterations = 50;  // 80 steps of 44 ms take 3.52 s
  EXPECT_NEAR(*summarised(runs).groups.at(0).variance->run_s, 0.5 + 4.4 + 3.52, 0.05);
}

TEST(CommunicationOfGroups, MeansAndIntervalsOverRuns) {
  auto runs = runs_that_differ(0.01);
  runs.resize(3);
  EXPECT_FALSE(summarised(runs).groups.at(0).communication);
  const double costs[] = {0.001, 0.002, 0.003};
  for (std::size_t k = 0; k < 3; ++k) {
    runs[k].communication.cost_s = costs[k];
    runs[k].communication.contention_s = -costs[k];
    runs[k].communication.efficiency = std::exp(-static_cast<double>(k));
  }
  const auto found = summarised(runs).groups.at(0).communication;
  ASSERT_TRUE(found);
  EXPECT_NEAR(*found->cost_s, 0.002, 1e-15);
  EXPECT_NEAR(*found->cost_ci95.high - 0.002, 4.302653 * 0.001 / std::sqrt(3.0), 1e-8);
  EXPECT_NEAR(*found->contention_s, -0.002, 1e-15);
  EXPECT_NEAR(*found->efficiency, std::exp(-1.0), 1e-12);
  EXPECT_NEAR(std::log(*found->efficiency_ci95.low), -1 - 4.302653 / std::sqrt(3.0), 1e-5);
  runs[2].session = 1;
  EXPECT_FALSE(summarised(runs).groups.at(0).communication->cost_ci95.low) << "two sessions";
  runs[1].communication.cost_s.reset();
  EXPECT_FALSE(summarised(runs).groups.at(0).communication);
}

// Twelve points, five of them with one slow run.
std::vector<PointRecord> with_slow_runs(double by) {
  std::vector<PointRecord> runs;
  for (int point = 0; point < 12; ++point) {
    for (int k = 0; k < 5; ++k) {
      const double usual = 1 + 0.003 * (((k * 3 + point) % 5) - 2);
      const bool is_slow = point % 2 == 0 && k == point % 5;
      runs.push_back(
          precise_run_of("p" + std::to_string(point), k, is_slow ? usual * (1 - by) : usual));
    }
  }
  return runs;
}

TEST(Normality, RareSlowRunsAreAFinding) {
  EXPECT_EQ(finding(summarised(with_slow_runs(0)), "runs_not_normal"), nullptr);
  const auto summary = summarised(with_slow_runs(0.05));
  const Finding* found = finding(summary, "runs_not_normal");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->text.find("60 runs): a few are far slower than the rest"), std::string::npos)
      << found->text;
}

TEST(Precision, IsWhatTheReportSays) {
  Report report = sample_sweep({.world_sizes = {1, 2}, .batch_sizes = {64}, .real_data = false});
  const auto points = precision_of(report);
  ASSERT_EQ(points.size(), report.groups.size());
  for (const GroupRecord& group : report.groups) {
    const auto& point = points.at(group.group);
    EXPECT_EQ(point.throughput.repetitions, 5u);
    EXPECT_NEAR(*point.throughput.half_width,
                (*group.ci95.high - *group.ci95.low) / 2 / *group.samples_per_sec, 1e-12);
    ASSERT_EQ(point.throughput.steps.size(), 1u);
    EXPECT_NEAR(point.throughput.steps[0].variance, std::pow(group.variance->steps, 2), 1e-18);
  }
  int efficiencies = 0;
  for (const ScalingRow& row : report.scaling.at(0).rows) {
    if (row.points == report.scaling[0].baseline_points) continue;
    const auto& found = points.at(row.group).efficiencies;
    ASSERT_EQ(found.size(), 1u) << row.group;
    EXPECT_NEAR(*found[0].half_width,
                (*row.efficiency_ci95.high - *row.efficiency_ci95.low) / 2 / row.efficiency.value(),
                1e-12);
    EXPECT_EQ(found[0].steps.size(), 2u) << "those of the baseline, too";
    ++efficiencies;
  }
  EXPECT_EQ(efficiencies, 3);  // ddp on one rank and two, solo
}

TEST(Precision, TwoSessionsHaveNoHalfWidth) {
  Report report = sample_sweep({.world_sizes = {1}, .batch_sizes = {64}, .real_data = false});
  for (auto& point : report.points) point.session = point.block / 3;
  summarise(report);
  for (const auto& [group, point] : precision_of(report)) {
    EXPECT_EQ(point.sessions, 2);
    EXPECT_FALSE(point.throughput.half_width);
  }
}

TEST(FindingsOf, StronglyCorrelatedStepsAreSaid) {
  PointRecord run = precise_run_of("one", 0, 1);
  const auto said = [&] {
    return std::ranges::any_of(findings_of(run, {}),
                               [](const auto& f) { return f.code == "steps_correlated"; });
  };
  EXPECT_FALSE(said());
  for (std::size_t t = 0; t < 100; ++t) run.step_samples_s[t] = 0.022 + (t / 10 % 2 ? 0.001 : 0);
  EXPECT_TRUE(said());
  run.step_samples_s.resize(40);
  EXPECT_FALSE(said()) << "too few to tell";
}

}  // namespace
}  // namespace scalemark::reporting
