#include "core/plan/presets.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/estimates.h"
#include "core/plan/quick_network.h"
#include "core/plan/task.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

const settings::Machine kEightGpus{
    .cores = 64, .gpus = std::vector(8, settings::Gpu{"new", settings::ComputeCapability{9, 0}})};

TEST(Schedule, TheDefaultIsFiveBlocksWithWindowsAsTrainHasThem) {
  const Plan p = plan({});
  EXPECT_EQ(p.stop.least_blocks, 5);
  EXPECT_FALSE(p.stop.max_time_s);
  const RunLength& length = p.points[0].length;
  EXPECT_EQ(length.least_warmup_steps, 20);
  EXPECT_EQ(length.least_steps, 100);
  EXPECT_EQ(length.least_warmup_s, 2);
  EXPECT_EQ(length.least_window_s, 2);
  EXPECT_FALSE(length.most_window_s);
  EXPECT_EQ(plan({}, {0, 0}, kEightGpus).points[0].length.least_warmup_s, 10);
}

TEST(Schedule, QuickFitsIntoAMinute) {
  for (const bool gpus : {false, true}) {
    const Plan p =
        plan({{"quick", "on"}, {"workload", "mlp"}, {"batch_size", "8..32*2"}},
             {0, 0, 0, 0, 0, 0, 0, 0}, gpus ? kEightGpus : settings::Machine{.cores = 8});
    EXPECT_EQ(p.stop.least_blocks, 1);
    EXPECT_LE(p.estimated_s, 60);
    EXPECT_EQ(p.stop.max_time_s, 60);
    ASSERT_TRUE(p.stop.deadline_s);
    EXPECT_LT(*p.stop.deadline_s, 60) << "the report is written after the last run";
    EXPECT_LE(p.points[0].length.least_warmup_s, 1);
  }
}

// Where nobody names a network it is ResNet-50, in a size that answers within 40 s on two cores.
TEST(Quick, MeasuresResNet50InSecondsOnACpu) {
  const Plan p = plan({{"quick", "on"}}, {0, 0}, {.cores = 2});
  EXPECT_EQ(groups(p),
            (std::vector<std::string>{"resnet50-b8-fp32-w1-none", "resnet50-b8-fp32-w2-ddp",
                                      "resnet50-b8-fp32-w2-none"}));
  const settings::Settings& settings = p.points[0].settings;
  EXPECT_EQ(settings.task.image_size, 64);
  EXPECT_EQ(settings.origins.at("image_size"), kOfQuick);
  EXPECT_LT(settings.recipe.learning_rate, 0.01) << "of a batch of 8, not of 256";
  EXPECT_GT(p.estimated_s, 20);
  EXPECT_LE(p.estimated_s, 40);
}

TEST(Quick, TakesTheRecipesBatchOnGpusAsFarAsItFits) {
  const auto settings_on = [](int major, std::optional<std::uint64_t> bytes) {
    const settings::Machine machine{
        .cores = 8,
        .gpus = std::vector(2, settings::Gpu{"any", settings::ComputeCapability{major, 0}})};
    settings::RawSettings raw{{"quick", {"on", "option"}}};
    const settings::SweepRequest asked = settings::read_sweep(raw);
    return make_plan({.asked = asked,
                      .machine = machine,
                      .node_of_rank = {0, 0},
                      .memory_available_bytes = bytes})
        .plan.points.at(0)
        .settings;
  };
  const auto h100 = settings_on(9, 80ULL << 30);
  EXPECT_EQ(h100.size.batch_size, 256);
  EXPECT_EQ(h100.parallel.precision, settings::Precision::kAmpBf16);
  EXPECT_EQ(h100.task.image_size, 224);
  EXPECT_EQ(settings_on(9, std::nullopt).size.batch_size, 256);
  const auto small = settings_on(7, 8ULL << 30);
  EXPECT_EQ(small.parallel.precision, settings::Precision::kFp32);
  EXPECT_LT(small.size.batch_size, 128);
  EXPECT_GE(small.size.batch_size, 16);
}

TEST(Quick, LeavesWhatAPersonNames) {
  const Plan named = plan({{"quick", "on"}, {"workload", "mlp"}}, {0, 0}, {.cores = 2});
  EXPECT_EQ(named.points[0].group, "mlp-b64-fp32-w1-none");
  const Plan sized = plan({{"quick", "on"}, {"image_size", "32"}, {"batch_size", "4"}}, {0, 0});
  EXPECT_EQ(sized.points[0].group, "resnet50-b4-fp32-w1-none");
  EXPECT_EQ(sized.points[0].settings.task.image_size, 32);
  const Plan strong = plan({{"quick", "on"}, {"global_batch_size", "16"}}, {0, 0});
  EXPECT_EQ(strong.slices.size(), 1u) << "no batch of ours beside it";
  EXPECT_EQ(strong.points[0].settings.size.global_batch_size, 16);
  settings::RawSettings raw{{"quick", {"on", "scale_down"}}};
  const settings::SweepRequest asked = settings::read_sweep(raw);
  const Plan scaled =
      make_plan({.asked = asked, .machine = {.cores = 2}, .node_of_rank = {0, 0}}).plan;
  EXPECT_EQ(scaled.points[0].settings.task.workload, "mlp") << "--scale-down changes no network";
}

TEST(Schedule, WhatCannotFitIsRefusedWithWhatItNeedsAndWhatNeedsMost) {
  const settings::Machine two_cores{.cores = 2};
  const PlanAnswer made = answer(
      {{"quick", "on"}, {"workload", "bert-large"}, {"world_sizes", "1,2"}}, {0, 0}, two_cores);
  ASSERT_EQ(made.problems.size(), 1u);
  const std::string line = to_line(made.problems[0]);
  EXPECT_NE(line.find("--quick (from option); by the estimate the 3 points"), line.npos) << line;
  EXPECT_NE(line.find("and it has 60 s"), line.npos) << line;
  EXPECT_NE(line.find("most takes bert-large-b"), line.npos) << line;
  EXPECT_EQ(
      answer({{"burn_in", "0.01"}, {"workload", "bert-large"}}, {0}, two_cores).problems.size(),
      1u);
  // The same is no matter where the time is longer.
  const Plan longer = plan(
      {{"quick", "on"}, {"workload", "bert-large"}, {"world_sizes", "1,2"}, {"max_time", "2h"}},
      {0, 0}, two_cores);
  EXPECT_EQ(longer.stop.max_time_s, 7200);
}

TEST(Schedule, ThoroughFitsIntoTwentyMinutes) {
  const Plan p = plan({{"thorough", "on"}}, {0, 0, 0, 0, 0, 0, 0, 0}, kEightGpus);
  EXPECT_GE(p.stop.least_blocks, 3);
  EXPECT_LE(p.estimated_s, 20 * 60);
  EXPECT_EQ(p.stop.max_time_s, 20 * 60);
  EXPECT_GT(p.points[0].length.least_window_s, 2);
}

TEST(Schedule, BurnInLastsUntilItsHoursAreOver) {
  const Plan p = plan({{"burn_in", "2"}}, {0, 0});
  EXPECT_TRUE(p.stop.fill_time);
  EXPECT_EQ(p.stop.max_time_s, 7200);
  EXPECT_LE(p.estimated_s, 7200);
  EXPECT_GT(p.estimated_s, 6000);
  EXPECT_EQ(p.points[0].length.least_window_s, 60);
}

// The engine's blocks: sixteen of a sixteenth of the window's steps, rounded up, and at least five.
TEST(CostBlocks, AreSixteenthsOfTheWindowAndAtLeastFiveSteps) {
  EXPECT_EQ(cost_block_steps(110), 7);
  EXPECT_EQ(cost_block_steps(1600), 100);
  EXPECT_EQ(cost_block_steps(40), 5);
  EXPECT_EQ(cost_block_steps(110, 4), 8) << "whole periods";
}

TEST(Schedule, CommunicationCostTakesItsBlocksWhereThereIsCommunication) {
  for (const auto& [iters, blocks] : {std::pair{"110", 16 * 7}, {"40", 16 * 5}, {"1600", 1600}}) {
    const Plan without = plan({{"iters", iters}});
    const Plan with = plan({{"iters", iters}, {"communication_cost", "on"}});
    ASSERT_EQ(without.points.size(), with.points.size());
    for (std::size_t i = 0; i < with.points.size(); ++i) {
      const PlannedPoint& point = without.points[i];
      const double step_s = estimated_step_s(point.settings, point.world_size);
      const bool exchanges = point.settings.parallel.strategy != "none";
      EXPECT_NEAR(with.points[i].estimated_s - point.estimated_s, exchanges ? blocks * step_s : 0,
                  1e-9)
          << point.group << ' ' << iters;
    }
  }
  EXPECT_LE(plan({{"quick", "on"}, {"workload", "mlp"}, {"communication_cost", "on"}}).estimated_s,
            60);
}

TEST(Schedule, EachPointsFirstRepetitionHasATrace) {
  const Plan without = plan({{"iters", "40"}, {"repetitions", "3"}});
  const Plan with =
      plan({{"iters", "40"}, {"repetitions", "3"}, {"trace", "traces"}, {"trace_steps", "9"}});
  double traces_s = 0;
  for (const PlannedPoint& point : with.points) {
    traces_s += 10 * estimated_step_s(point.settings, point.world_size);
  }
  EXPECT_NEAR(with.estimated_s - without.estimated_s, traces_s, 1e-9);
  for (const PlannedRun& run : with.runs) {
    EXPECT_EQ(settings_of(with, Task{.run = run}).measuring.trace.empty(), run.repetition > 0);
  }
}

// Eighty steps of 0.2 s do not shrink with the window: --quick keeps its minute by shorter windows,
// or refuses.
TEST(Schedule, QuickCountsTheFewestStepsOfCommunicationCost) {
  const settings::Machine two_cores{.cores = 2};
  const PlanAnswer made = answer({{"quick", "on"},
                                  {"communication_cost", "on"},
                                  {"workload", "resnet50"},
                                  {"batch_size", "32"},
                                  {"world_sizes", "1,2"}},
                                 {0, 0}, two_cores);
  double least_s = 0;
  for (const PlannedPoint& point : made.plan.points) {
    const double step_s = estimated_step_s(point.settings, point.world_size);
    if (settings::measures_communication_cost(point.settings)) least_s += 80 * step_s;
  }
  EXPECT_GT(least_s, 60) << "the example is large enough";
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_NE(to_line(made.problems[0]).find("and it has 60 s"), std::string::npos);
}

TEST(Schedule, GivenLengthsWinOverPresets) {
  const Plan p =
      plan({{"quick", "on"}, {"iters", "7"}, {"warmup_iters", "3"}, {"repetitions", "2"}});
  EXPECT_EQ(p.points[0].length.iters, 7);
  EXPECT_EQ(p.points[0].length.warmup_iters, 3);
  EXPECT_FALSE(p.points[0].length.most_warmup_s) << "a number of steps rules alone";
  EXPECT_FALSE(p.points[0].length.most_window_s);
  EXPECT_EQ(p.stop.least_blocks, 2);
  EXPECT_EQ(plan({{"min_time", "5"}, {"quick", "on"}}).points[0].length.least_window_s, 5);
}

TEST(Schedule, AWarmUpThatIsNotSteadyEndsAtMaxWarmup) {
  const auto length = [](const Options& options) { return plan(options).points[0].length; };
  EXPECT_EQ(latest_warmup_s(length({})), 10) << "5 x 2 s";
  EXPECT_EQ(latest_warmup_s(length({{"max_warmup", "30"}})), 30);
  const RunLength little = length({{"max_warmup", "500ms"}});
  EXPECT_EQ(little.least_warmup_s, 0.5) << "less than the least is the least";
  EXPECT_EQ(latest_warmup_s(little), 0.5);
  const RunLength preset = length({{"quick", "on"}, {"max_warmup", "1h"}});
  EXPECT_LE(latest_warmup_s(preset), *preset.most_warmup_s) << "a preset rules over it";
}

TEST(Schedule, UntilSureBuysAtLeastTenBlocksAndEndsSomeTime) {
  const Plan p = plan({{"until_ci", "1%"}});
  EXPECT_EQ(p.stop.least_blocks, 10);
  EXPECT_EQ(p.stop.until_ci, 0.01);
  EXPECT_EQ(p.stop.max_time_s, 3600);
  EXPECT_EQ(plan({{"until_ci", "0.01"}, {"max_time", "5m"}}).stop.max_time_s, 300);
}

TEST(EstimatedWindow, StepsAndSecondsBothCountUntilTimeIsCut) {
  RunLength length;
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 0.001), 2.2);
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 1), 100);
  length.most_window_s = 3;
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 0.1), 3);
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 1), 5);  // never fewer than kFewestSteps
  length.iters = 10;
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 1), 10);
}

}  // namespace
}  // namespace scalemark::planning
