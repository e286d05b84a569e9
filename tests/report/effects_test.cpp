// Tests what a report says about the effects of options, with runs that can be computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "report/judge/point/rank_steps.h"
#include "report/judge/sweep/summary.h"
#include "report/say/words/words.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;
const std::vector<double> kNoise = {1.000, 1.013, 0.991, 1.004, 0.992};

PointRecord effect_run_of(const std::string& group, double rate, int block) {
  PointRecord run;
  run.group = group;
  run.id = group + "/r" + std::to_string(block);
  run.strategy = "ddp";
  run.data = "synthetic";
  run.world_size = 2;
  run.batch_size = 32;
  run.global_batch_size = 64;
  run.repetition = run.block = block;
  run.samples_per_sec = rate;
  run.step_mean_over_ranks_s = 0.1;
  run.memory_peak_bytes = 1000 * kMiB;
  run.phases_s = Phases{.forward = 0.03, .backward = 0.05, .exposed_communication = 0.02};
  for (std::int64_t step = 1; step <= 40 + block; ++step) {
    if (keeps_loss_at(step)) run.loss_course.push_back({step, 2.0 / static_cast<double>(step)});
  }
  return run;
}

struct Value {
  std::string group;
  double factor = 1;
};

std::vector<PointRecord> runs_of(const std::vector<Value>& values, int blocks = 5) {
  std::vector<PointRecord> points;
  for (int block = 0; block < blocks; ++block) {
    for (const Value& value : values) {
      // The noise of a block is in all its runs; a thousandth is each run's own.
      const auto own = static_cast<double>((block * 3 + static_cast<int>(points.size())) % 4);
      points.push_back(effect_run_of(
          value.group,
          100 * value.factor * kNoise[static_cast<std::size_t>(block)] * (1 + 0.001 * own), block));
    }
  }
  return points;
}

ComparedGroups compared(const std::string& axis, std::vector<ComparedGroups::Value> values) {
  return {.axis = axis,
          .fixed = {{"world_size", "2"}, {"strategy", "ddp"}},
          .values = std::move(values)};
}

Report summary_of(const std::vector<PointRecord>& points, std::vector<ComparedGroups> comparisons,
                  std::string tuned = "") {
  return summarised(
      points,
      {.slices = {}, .comparisons = std::move(comparisons), .tuned_axis = std::move(tuned)});
}

TEST(LossCourse, StepsHaveFourBinaryDigitsAndDoublesAreKept) {
  std::vector<std::int64_t> kept;
  for (std::int64_t step = -1; step <= 40; ++step) {
    if (keeps_loss_at(step)) kept.push_back(step);
  }
  EXPECT_EQ(kept, (std::vector<std::int64_t>{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                                             14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40}));
  for (std::int64_t step = 1; step < 5000; ++step) {
    EXPECT_EQ(keeps_loss_at(step), keeps_loss_at(2 * step)) << step;
  }
}

TEST(Effects, AgainstTheFirstValueWithinBlocks) {
  auto points = runs_of({{"b25"}, {"b100", 1.028}, {"b1", 0.9}});
  for (PointRecord& point : points) {
    if (point.group == "b100") {
      point.memory_peak_bytes += 210 * kMiB;
      point.phases_s->exposed_communication -= 0.004;
    }
    if (point.group == "b1") {
      for (LossAtStep& at : point.loss_course) at.loss += 0.01;
    }
  }
  const auto effects =
      summary_of(points, {compared("bucket_cap_mb", {{"25", "b25"}, {"100", "b100"}, {"1", "b1"}})})
          .effects;
  ASSERT_EQ(effects.size(), 2u);
  const EffectRecord& more = effects[0];
  EXPECT_EQ(more.from, "25");
  EXPECT_EQ(more.to, "100");
  EXPECT_EQ(more.groups, (std::vector<std::string>{"b25", "b100"}));
  EXPECT_EQ(more.pairs, 5);
  EXPECT_NEAR(more.ratio, 1.028, 0.002);
  EXPECT_EQ(more.verdict, statistics::EffectVerdict::kReal);
  EXPECT_EQ(more.memory_delta_bytes, 210 * 1024 * 1024);
  EXPECT_NEAR(more.phases_delta_s->exposed_communication, -0.004, 1e-12);
  EXPECT_NEAR(more.phases_delta_s->backward, 0, 1e-12);
  EXPECT_EQ(more.loss_delta, 0);
  EXPECT_EQ(more.loss_step, 40) << "the last step that all runs have";
  EXPECT_NEAR(*effects[1].loss_delta, 0.01, 1e-12);
  EXPECT_TRUE(effects[1].in_words.starts_with("bucket_cap_mb 1 against 25: "))
      << effects[1].in_words;
  EXPECT_TRUE(effects[1].in_words.ends_with("loss +0.010 at step 40: real")) << effects[1].in_words;
}

TEST(Effects, OtherSessionsAndLostRunsAreNoPairs) {
  auto points = runs_of({{"a"}, {"b", 1.1}});
  points[1].session = 1;                    // b of block 0 ran later
  points[2].status = PointStatus::kFailed;  // a of block 1
  const auto effects =
      summary_of(points, {compared("overlap", {{"on", "a"}, {"off", "b"}})}).effects;
  EXPECT_EQ(effects.at(0).pairs, 3);
  for (PointRecord& point : points) {
    if (point.group == "b") point.status = PointStatus::kOom;
  }
  EXPECT_TRUE(
      summary_of(points, {compared("overlap", {{"on", "a"}, {"off", "b"}})}).effects.empty());
}

TEST(Effects, HolmIsOverOneAxis) {
  const auto points = runs_of({{"a"}, {"b", 1.1}, {"c", 1.2}});
  const auto alone = summary_of(points, {compared("x", {{"1", "a"}, {"2", "b"}})}).effects;
  const auto together = summary_of(points, {compared("x", {{"1", "a"}, {"2", "b"}}),
                                            compared("y", {{"1", "a"}, {"2", "c"}})})
                            .effects;
  EXPECT_DOUBLE_EQ(*alone.at(0).p_holm, *together.at(0).p_holm);
  const auto family =
      summary_of(points, {compared("x", {{"1", "a"}, {"2", "b"}, {"3", "c"}})}).effects;
  EXPECT_GT(*family.at(0).p_holm, *alone.at(0).p_holm);
}

// Twice the batch: after 40 steps of 64 samples the other has done 20 of 128.
TEST(Effects, LossAtEqualSamplesWhereTheBatchDiffers) {
  auto points = runs_of({{"b32"}, {"b64"}, {"b48"}});
  for (PointRecord& point : points) {
    if (point.group == "b64") point.global_batch_size = 128;
    if (point.group == "b48") point.global_batch_size = 96;
  }
  const auto effects =
      summary_of(points, {compared("batch_size", {{"32", "b32"}, {"64", "b64"}, {"48", "b48"}})})
          .effects;
  EXPECT_EQ(effects.at(0).loss_step, 40);
  EXPECT_NEAR(*effects[0].loss_delta, 2.0 / 20 - 2.0 / 40, 1e-12);
  EXPECT_EQ(effects.at(1).loss_step, 36) << "24 steps of 96";
}

TEST(Effects, NoLossBetweenDifferentData) {
  auto points = runs_of({{"a"}, {"b"}});
  for (PointRecord& point : points) {
    if (point.group == "b") point.data = "/photos";
    point.phases_s.reset();
  }
  const auto effects = summary_of(points, {compared("data", {{"s", "a"}, {"p", "b"}})}).effects;
  EXPECT_FALSE(effects.at(0).loss_delta);
  EXPECT_FALSE(effects.at(0).phases_delta_s);
  EXPECT_EQ(effects.at(0).verdict, statistics::EffectVerdict::kNone);
}

TEST(Effects, NoLossBetweenAFixedBatchAndDataMadeInTheLoop) {
  auto points = runs_of({{"a"}, {"b"}});
  const auto effect = [&] {
    return summary_of(points, {compared("synthetic_in_loop", {{"off", "a"}, {"on", "b"}})})
        .effects.at(0);
  };
  EXPECT_TRUE(effect().loss_delta);
  for (PointRecord& point : points) {
    point.varying["synthetic_in_loop"] = point.group == "b" ? "on" : "off";
  }
  EXPECT_FALSE(effect().loss_delta);
  for (PointRecord& point : points) point.varying["synthetic_in_loop"] = "on";
  EXPECT_TRUE(effect().loss_delta) << "another option is compared";
}

TEST(EffectInWords, TheSentence) {
  EffectRecord effect{.axis = "bucket_cap_mb",
                      .fixed = {{"world_size", "2"}, {"batch_size", "32"}},
                      .from = "25",
                      .to = "100",
                      .groups = {}};
  effect.ratio = 1.028;
  effect.ratio_ci95.low = 1.014;
  effect.ratio_ci95.high = 1.042;
  effect.verdict = statistics::EffectVerdict::kReal;
  effect.memory_delta_bytes = 210 * 1024 * 1024;
  EXPECT_EQ(effect_in_words(effect, {effect}),
            "bucket_cap_mb 100 against 25: 2.8 % faster (1.4 to 4.2), +210 MiB: real");

  EffectRecord slower = effect;
  slower.fixed["world_size"] = "4";
  slower.ratio = 0.99;
  slower.ratio_ci95.low = 0.97;
  slower.ratio_ci95.high = 1.01;
  slower.memory_delta_bytes = -3 * 1024 * 1024;
  slower.verdict = statistics::EffectVerdict::kUnsure;
  EXPECT_EQ(effect_in_words(slower, {effect, slower}),
            "bucket_cap_mb 100 against 25 (4 ranks): 1.0 % slower (3.0 % slower to 1.0 % "
            "faster), -3 MiB: unsure");
  // It is clear by itself, and not with the others that were tested.
  slower.ratio_ci95.high = 0.995;
  slower.p_holm = 0.071;
  EXPECT_EQ(effect_in_words(slower, {slower}),
            "bucket_cap_mb 100 against 25: 1.0 % slower (0.5 to 3.0), -3 MiB: unsure (p 0.071 with "
            "all comparisons of this option)");
  slower.ratio_ci95.low.reset();
  slower.memory_delta_bytes = 0;
  EXPECT_EQ(effect_in_words(slower, {slower}),
            "bucket_cap_mb 100 against 25: 1.0 % slower: unsure");
}

TEST(Tuning, NamesTheFastestAndWhatCannotBeDistinguishedFromIt) {
  const auto points = runs_of({{"b25"}, {"b50", 1.1}, {"b100", 1.1003}, {"gone", 1}});
  const auto comparison = compared(
      "bucket_cap_mb", {{"25", "b25"}, {"50", "b50"}, {"100", "b100"}, {"200", "never ran"}});
  const auto tuning = summary_of(points, {comparison}, "bucket_cap_mb").tuning;
  ASSERT_EQ(tuning.size(), 1u);
  const bool hundred = tuning[0].fastest == "100";
  EXPECT_EQ(tuning[0].in_words, hundred
                                    ? "fastest: bucket_cap_mb 100 (not distinguishable from 50)"
                                    : "fastest: bucket_cap_mb 50 (not distinguishable from 100)");
  EXPECT_TRUE(summary_of(points, {comparison}).tuning.empty()) << "nobody asked";
  const auto clear = summary_of(runs_of({{"a"}, {"b", 1.2}}),
                                {compared("overlap", {{"off", "a"}, {"on", "b"}})}, "overlap");
  EXPECT_EQ(clear.tuning.at(0).in_words, "fastest: overlap on (all others are slower)");
}

// Communication is 40, 25, 12 and 8 % of a step.
std::vector<PointRecord> batches(int blocks, double noise) {
  std::vector<PointRecord> points;
  const std::vector<double> shares = {0.40, 0.25, 0.12, 0.08};
  for (int block = 0; block < blocks; ++block) {
    for (std::size_t i = 0; i < shares.size(); ++i) {
      PointRecord run = effect_run_of("b" + std::to_string(32 << i), 100, block);
      run.batch_size = 32 << i;
      run.communication.network_s = 0.1 * (shares[i] + noise * (block - 1));
      points.push_back(run);
    }
  }
  return points;
}

ComparedGroups by_batch() {
  return compared("batch_size", {{"256", "b256"}, {"32", "b32"}, {"64", "b64"}, {"128", "b128"}});
}

TEST(CommunicationLimits, FromWhichBatchSizeOn) {
  const auto limits = summary_of(batches(3, 0.002), {by_batch()}).communication_limits;
  ASSERT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits[0].from, 64);
  EXPECT_EQ(limits[0].smallest, 32);
  EXPECT_EQ(limits[0].largest, 256);
  EXPECT_EQ(limits[0].in_words,
            "communication stays below 30 % of a step from batch 64 on (2 ranks)");
  EXPECT_EQ(limits[1].from, 256);
}

TEST(CommunicationLimits, OnlyWhereIntervalsSupportIt) {
  const auto noisy = summary_of(batches(3, 0.021), {by_batch()}).communication_limits;
  EXPECT_EQ(noisy.at(0).from, 128) << "25 % +- 5 reaches 30";
  EXPECT_FALSE(noisy.at(1).from);
  EXPECT_EQ(
      noisy[1].in_words,
      "communication is not surely below 10 % of a step at any batch size up to 256 (2 ranks)");
  const auto once = summary_of(batches(1, 0), {by_batch()}).communication_limits;
  EXPECT_FALSE(once.at(0).from) << "one run has no interval";
}

TEST(CommunicationLimits, AllLargerOnesMustBeBelowToo) {
  auto points = batches(3, 0.001);
  for (PointRecord& point : points) {
    if (point.group == "b256") point.communication.network_s = 0.05;
  }
  const auto limits = summary_of(points, {by_batch()}).communication_limits;
  EXPECT_FALSE(limits.at(0).from);
}

TEST(CommunicationLimits, NoneWithoutCommunicationOrOtherBatches) {
  auto points = batches(3, 0.001);
  for (PointRecord& point : points) point.communication.network_s.reset();
  EXPECT_TRUE(summary_of(points, {by_batch()}).communication_limits.empty());
  EXPECT_TRUE(
      summary_of(batches(3, 0.001), {compared("precision", {{"fp32", "b32"}, {"amp-bf16", "b64"}})})
          .communication_limits.empty());
}

}  // namespace
}  // namespace scalemark::reporting
