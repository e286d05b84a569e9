#include <set>

#include "core/plan/order.h"
#include "core/plan/sweep_schedule.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

const Options kTwoByTwo = {{"workload", "mlp"},      {"world_sizes", "1,2"}, {"env.A", "x,y"},
                           {"env.B", "unset,1\\,2"}, {"seed", "7"},          {"repetitions", "4"}};

TEST(Environments, EveryPointHasOneAndItsNameSaysWhich) {
  const Plan made = plan(kTwoByTwo);
  EXPECT_EQ(environments_of(made).size(), 4u);
  const PlannedPoint& point = find(made, "mlp-b64-fp32-w2-ddp-A-y-B-1__2");
  EXPECT_EQ(environment_of(point), (settings::Variables{{"A", "y"}, {"B", "1,2"}}));
  // The baseline of an environment runs in it, too.
  EXPECT_EQ(environment_of(find(made, "mlp-b64-fp32-w1-none-A-y-B-unset")).at("A"), "y");
  EXPECT_TRUE(made.sweep.fresh_process);
}

TEST(Environments, OneValueNeedsNoRanksOfItsOwn) {
  const Plan made = plan({{"workload", "mlp"}, {"env.A", "x"}});
  EXPECT_FALSE(made.sweep.fresh_process);
  EXPECT_EQ(environments_of(made), (std::vector<settings::Variables>{{{"A", "x"}}}));
  for (const std::string& group : groups(made)) EXPECT_EQ(group.find("A-x"), std::string::npos);
}

TEST(Environments, ABlockHoldsEachTogetherInRandomOrder) {
  const Plan made = plan(kTwoByTwo);
  std::set<std::string> firsts;
  for (int k = 0; k < 20; ++k) {
    std::vector<std::string> changes;
    for (const PlannedRun& run : block(made, k)) {
      const std::string text = to_text(environment_of(made.points[run.point]));
      if (changes.empty() || changes.back() != text) changes.push_back(text);
    }
    EXPECT_EQ(changes.size(), 4u) << k;
    firsts.insert(changes.front());
  }
  EXPECT_EQ(firsts.size(), 4u);
}

TEST(Environments, RanksRunTheirPointsOnlyAndOneBlockEach) {
  Plan made = plan(kTwoByTwo);
  const std::vector<PlannedRun> first_block = block(made, 0);
  made.launch = {.environment = environment_of(made.points[first_block.back().point])};
  SweepSchedule schedule(made, {});
  std::size_t runs = 0;
  while (const auto task = schedule.next(0)) {
    EXPECT_EQ(environment_of(made.points[task->run.point]), made.launch->environment);
    EXPECT_EQ(task->run.block, 0);
    schedule.record_outcome(*task, Ending::kOk, 1.0);
    ++runs;
    if (schedule.block_is_complete()) break;
  }
  EXPECT_EQ(runs, first_block.size() / 4);
}

TEST(Environments, AreComparedWithTheFirstValue) {
  const Plan made = plan({{"workload", "mlp"}, {"world_sizes", "2"}, {"env.A", "unset,x,y"}});
  ASSERT_FALSE(made.comparisons.empty());
  const Comparison& comparison = made.comparisons.front();
  EXPECT_EQ(comparison.axis, "env.A");
  ASSERT_EQ(comparison.values.size(), 3u);
  EXPECT_EQ(comparison.values.front().value, "unset");
}

TEST(Environments, AResumeFindsOtherValuesChanged) {
  const Plan two = plan({{"workload", "mlp"}, {"env.A", "x,y"}});
  const Plan others = plan({{"workload", "mlp"}, {"env.A", "x,z"}});
  EXPECT_EQ(resume_settings(two).at("env.A"), "\"x\",\"y\"");
  EXPECT_TRUE(must_stay_on_resume("env.A"));
  EXPECT_NE(settings_digest(two), settings_digest(others));
}

TEST(Environments, NoBatchIsSearchedForSeveral) {
  const PlanAnswer made = answer({{"workload", "mlp"}, {"batch_size", "auto"}, {"env.A", "x,y"}});
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_EQ(made.problems.front().option, "batch_size");
}

}  // namespace
}  // namespace scalemark::planning
