// Training with batch norm over one value per channel: torch raises ValueError "Expected more than
// 1 value per channel when training", a run is refused, a point of a sweep is skipped, and a search
// tries no such batch.
#include <algorithm>
#include <string>

#include "core/plan/sweep_schedule.h"
#include "core/settings/resolve.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

std::vector<std::string> problems(Options options, int ranks = 1) {
  settings::RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  const auto resolution =
      settings::resolve(raw, {.machine = {.cores = 4}, .ranks = settings::RankCount{ranks, ranks}});
  std::vector<std::string> lines;
  for (const auto& problem : resolution.problems) lines.push_back(to_line(problem));
  return lines;
}

// ResNet-50 halves an image five times: 33 pixels leave 2 x 2 values, 32 leave one.
TEST(LeastBatch, OneImageOfThirtyTwoPixelsIsRefusedByName) {
  const auto refused =
      problems({{"workload", "resnet50"}, {"image_size", "32"}, {"batch_size", "1"}});
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0],
            "--batch-size is '1' (from option); gives batch norm one value per channel at "
            "--image-size 32 and --batch-size 1 (of each rank): more than 1 value per channel is "
            "needed when training. Hint: use --batch-size 2, or --image-size 33 or more");
}

TEST(LeastBatch, IsThatOfARankWhateverItComesFrom) {
  const auto count = [](Options options, int ranks = 1) { return problems(options, ranks).size(); };
  for (const char* size : {"8", "31", "32"}) {
    EXPECT_EQ(count({{"workload", "resnet50"}, {"image_size", size}, {"batch_size", "1"}}), 1u);
    EXPECT_EQ(count({{"workload", "resnet50"}, {"image_size", size}, {"batch_size", "2"}}), 0u);
  }
  EXPECT_EQ(count({{"workload", "resnet50"}, {"image_size", "33"}, {"batch_size", "1"}}), 0u);
  EXPECT_EQ(count({{"workload", "resnet50"}, {"batch_size", "1"}}), 0u);  // 224
  EXPECT_EQ(count({{"workload", "mlp"}, {"batch_size", "1"}}), 0u);
  const Options shared = {
      {"workload", "resnet50"}, {"image_size", "32"}, {"global_batch_size", "4"}};
  EXPECT_EQ(count(shared, 2), 0u);
  EXPECT_EQ(count(shared, 4), 1u);
  EXPECT_EQ(problems(shared, 4).front().find("--global-batch-size is '4'"), 0u);
  EXPECT_EQ(count({{"workload", "resnet50"},
                   {"image_size", "32"},
                   {"global_batch_size", "4"},
                   {"gradient_accumulation_steps", "4"}}),
            1u);
  EXPECT_EQ(count({{"workload", "resnet50"},
                   {"image_size", "32"},
                   {"batch_size", "1"},
                   {"gradient_accumulation_steps", "8"},
                   {"memory_format", "contiguous"},
                   {"fused_layers", "off"}}),
            1u);
}

TEST(LeastBatch, PointsOfASweepAreSkippedWithTheReason) {
  const auto skipped = [](Options options) {
    std::vector<std::string> reasons;
    for (const PlannedPoint& point : plan(options).points) {
      if (point.skipped) reasons.push_back(*point.skipped);
    }
    return reasons;
  };
  const auto of_batches = skipped({{"workload", "resnet50"},
                                   {"image_size", "32"},
                                   {"batch_size", "1,2"},
                                   {"world_sizes", "1"}});
  ASSERT_EQ(of_batches.size(), 1u);
  EXPECT_EQ(of_batches[0].find("--batch-size 1: gives batch norm one value per channel"), 0u);
  EXPECT_EQ(skipped({{"workload", "resnet50"},
                     {"image_size", "32,64"},
                     {"batch_size", "1"},
                     {"world_sizes", "1"}})
                .size(),
            1u);
  EXPECT_EQ(skipped({{"workload", "resnet50"},
                     {"image_size", "32"},
                     {"global_batch_size", "4"},
                     {"strategy", "ddp"},
                     {"world_sizes", "2,4"}})
                .front()
                .find("--global-batch-size 4: "),
            0u);
  EXPECT_FALSE(answer({{"workload", "resnet50"}, {"image_size", "32"}, {"batch_size", "1"}})
                   .problems.empty())
      << "no point is left";
}

TEST(LeastBatch, ASearchBeginsWithIt) {
  const auto first = [](const char* image_size) {
    const Plan searching = plan({{"workload", "resnet50"},
                                 {"image_size", image_size},
                                 {"batch_size", "auto"},
                                 {"world_sizes", "1"}});
    SweepSchedule schedule(searching, {});
    return schedule.next(0).value().batch_size;
  };
  EXPECT_EQ(first("32"), 2);
  EXPECT_EQ(first("33"), 1);

  BatchFinder finder(2);
  EXPECT_EQ(finder.next(), 2);
  finder.tried(false);
  EXPECT_FALSE(finder.next());
  EXPECT_EQ(finder.largest(), 0);
}

}  // namespace
}  // namespace scalemark::planning
