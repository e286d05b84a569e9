#include <gtest/gtest.h>

#include "core/plan/axes.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

using Texts = std::vector<std::string>;

// "precision fp32:mlp-b64-fp32-w1-none amp-bf16:mlp-b64-amp-bf16-w1-none"
Texts texts(const Plan& plan) {
  Texts all;
  for (const Comparison& comparison : plan.comparisons) {
    std::string text = comparison.axis;
    for (const ComparedValue& value : comparison.values) {
      text += " " + value.value + ":" + plan.points[value.point].group;
    }
    all.push_back(text);
  }
  return all;
}

settings::Machine with_bf16() { return {.cpu_flags = "avx512f avx512_bf16", .cores = 8}; }

TEST(Comparisons, TheFirstValueIsTheFirstTyped) {
  const Plan made =
      plan({{"workload", "linear"}, {"world_sizes", "1,2"}, {"batch_size", "64,8,32"}});
  EXPECT_EQ(texts(made), (Texts{"batch_size 64:linear-b64-fp32-w1-none 8:linear-b8-fp32-w1-none "
                                "32:linear-b32-fp32-w1-none",
                                "batch_size 64:linear-b64-fp32-w2-ddp 8:linear-b8-fp32-w2-ddp "
                                "32:linear-b32-fp32-w2-ddp"}));
  const auto& fixed = made.comparisons.at(1).fixed;
  EXPECT_EQ(fixed.at("world_size"), "2");
  EXPECT_EQ(fixed.at("strategy"), "ddp");
  EXPECT_EQ(made.comparisons.at(0).fixed.at("strategy"), "none");
  EXPECT_FALSE(fixed.contains("batch_size"));
}

TEST(Comparisons, NoneOnOneRankForOptionsOfTheExchange) {
  const Plan made = plan({{"workload", "linear"}, {"world_sizes", "1,2"}, {"overlap", "on,off"}});
  EXPECT_EQ(texts(made), (Texts{"overlap on:linear-b32-fp32-w2-ddp-overlap-on "
                                "off:linear-b32-fp32-w2-ddp-overlap-off"}));
}

TEST(Comparisons, EachCombinationOfTheOtherAxes) {
  const Plan made = plan({{"workload", "linear"},
                          {"world_sizes", "2"},
                          {"batch_size", "8,16"},
                          {"bucket_cap_mb", "25,1"}});
  ASSERT_EQ(made.comparisons.size(), 4u);
  EXPECT_EQ(made.comparisons[0].axis, "batch_size");
  EXPECT_EQ(made.comparisons[0].fixed.at("bucket_cap_mb"), "25");
  EXPECT_EQ(made.comparisons[3].axis, "bucket_cap_mb");
  EXPECT_EQ(made.comparisons[3].fixed.at("batch_size"), "16");
}

// Synthetic data has no workers: it is compared with each number of them.
TEST(Comparisons, AnAxisWithoutEffectAtOneValue) {
  const Plan made = plan({{"workload", "resnet50"},
                          {"world_sizes", "1"},
                          {"data", "synthetic,/photos"},
                          {"workers", "2,4"}});
  Texts axes;
  for (const Comparison& comparison : made.comparisons) {
    axes.push_back(comparison.axis + (comparison.fixed.contains("workers")
                                          ? " at " + comparison.fixed.at("workers")
                                          : ""));
    EXPECT_EQ(comparison.values.size(), 2u);
  }
  EXPECT_EQ(axes, (Texts{"data at 2", "data at 4", "workers"}));
}

TEST(Comparisons, StrongScalingKeepsTheGlobalBatch) {
  const Plan made = plan({{"workload", "linear"},
                          {"world_sizes", "1,2"},
                          {"global_batch_size", "64,128"},
                          {"gradient_accumulation_steps", "1,2"}});
  for (const Comparison& comparison : made.comparisons) {
    if (comparison.axis == "gradient_accumulation_steps") {
      EXPECT_TRUE(comparison.fixed.contains("global_batch_size"));
    }
  }
  EXPECT_EQ(made.comparisons.size(), 8u);
}

TEST(Comparisons, NotOfOtherWorkNorOfSingleValues) {
  EXPECT_TRUE(plan({{"workload", "linear,mlp"}, {"world_sizes", "1,2"}}).comparisons.empty());
  EXPECT_TRUE(plan({{"workload", "linear"}, {"precision", "fp32"}}).comparisons.empty());
}

TEST(Comparisons, SyntheticBatchesInTheLoop) {
  const Plan made =
      plan({{"workload", "linear"}, {"world_sizes", "1"}, {"synthetic_in_loop", "off,on"}});
  ASSERT_EQ(made.comparisons.size(), 1u);
  EXPECT_TRUE(made.points[made.comparisons[0].values[1].point].settings.loading.synthetic_in_loop);
  const Plan both = plan({{"workload", "resnet50"},
                          {"world_sizes", "1"},
                          {"data", "synthetic,/photos"},
                          {"synthetic_in_loop", "off,on"}});
  std::size_t of_files = 0;
  for (const PlannedPoint& point : both.points) of_files += point.settings.task.data == "/photos";
  EXPECT_EQ(of_files, 1u) << "files are never made in the loop";
}

TEST(Comparisons, TuningNeedsTwoPointsThatDiffer) {
  const auto made = answer({{"workload", "linear"}, {"world_sizes", "1"}, {"tune", "overlap"}});
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_EQ(made.problems[0].option, "tune");
  EXPECT_TRUE(
      answer({{"workload", "linear"}, {"world_sizes", "2"}, {"tune", "overlap"}}).problems.empty());
}

TEST(Comparisons, OfPrecisionOnEachWorldSize) {
  const Plan made =
      plan({{"workload", "linear"}, {"world_sizes", "1,2"}, {"precision", "fp32,amp-bf16"}},
           {0, 0, 0, 0}, with_bf16());
  EXPECT_EQ(made.comparisons.size(), 2u);
}

}  // namespace
}  // namespace scalemark::planning
