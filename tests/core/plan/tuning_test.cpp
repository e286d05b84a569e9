#include <gtest/gtest.h>

#include <algorithm>

#include "core/plan/enough.h"
#include "core/plan/sweep_schedule.h"

namespace scalemark::planning {
namespace {

// Points p0, p1, ... are the values of one tuned axis; `more` points have no part in it.
Plan tuning_plan_of(std::size_t values, int blocks, std::size_t more = 0) {
  Plan plan;
  plan.stop.least_blocks = blocks;
  plan.sweep.tune = "bucket_cap_mb";
  Comparison comparison{.axis = plan.sweep.tune, .fixed = {}, .values = {}};
  for (std::size_t i = 0; i < values + more; ++i) {
    PlannedPoint point;
    point.group = "p" + std::to_string(i);
    plan.points.push_back(point);
    if (i < values) comparison.values.push_back({std::to_string(i), i});
  }
  plan.comparisons = {comparison};
  return plan;
}

// Rates that vary by a thousandth from block to block, each value in its own way.
double rate_of(const std::vector<double>& rates, std::size_t point, int block) {
  return rates[point] * (1 + 0.001 * static_cast<double>((block * 7 + point * 3) % 5));
}

// Runs the whole schedule; ids in order.
std::vector<std::string> run_all(SweepSchedule& schedule, const std::vector<double>& rates) {
  std::vector<std::string> ids;
  while (const auto task = schedule.next(static_cast<double>(ids.size()))) {
    const double rate = rate_of(rates, task->run.point, task->run.block);
    schedule.record_outcome(*task, Ending::kOk, rate);
    ids.push_back(task->run.id);
    if (ids.size() > 1000) break;
  }
  std::ranges::sort(ids);
  return ids;
}

std::ptrdiff_t runs_of(const std::vector<std::string>& ids, const std::string& group) {
  return std::ranges::count_if(ids, [&](const auto& id) { return id.starts_with(group + "/"); });
}

TEST(Tuning, DropsWhatIsSurelySlowerAfterThreeBlocksAndEndsWhenOneIsLeft) {
  const Plan plan = tuning_plan_of(4, 10, 1);
  SweepSchedule schedule(plan, {});
  // 2 and 3 compete; 0 is the reference of the effects, 1 is dropped.
  const auto ids = run_all(schedule, {100, 50, 100.9, 103, 1});
  EXPECT_EQ(runs_of(ids, "p1"), 3);
  EXPECT_EQ(runs_of(ids, "p0"), runs_of(ids, "p3"));
  EXPECT_EQ(runs_of(ids, "p4"), runs_of(ids, "p3")) << "the baseline runs in every block";
  EXPECT_LT(runs_of(ids, "p3"), 10);
  const auto reasons = schedule.stop_reasons();
  EXPECT_EQ(reasons.at("p1"), "dropped");
  EXPECT_EQ(reasons.at("p3"), "tuned");
  EXPECT_EQ(schedule.runs_known(), ids.size());
  EXPECT_EQ(schedule.remaining_s(0), 0);
}

TEST(Tuning, EndsWhereValuesAreAlike) {
  const Plan plan = tuning_plan_of(3, 20);
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_all(schedule, {100, 100.1, 99.9}).size(), 9u);
}

TEST(Tuning, RunsAllRepetitionsWhereNothingIsSure) {
  const Plan plan = tuning_plan_of(2, 5);
  SweepSchedule schedule(plan, {});
  std::size_t runs = 0;
  while (const auto task = schedule.next(static_cast<double>(runs++))) {
    const bool odd = (task->run.block + static_cast<int>(task->run.point)) % 2;
    schedule.record_outcome(*task, Ending::kOk, odd ? 90 : 110);
  }
  EXPECT_EQ(runs, 11u);
  EXPECT_EQ(schedule.stop_reasons().at("p1"), "repetitions");
}

TEST(Tuning, WithoutItEveryPointHasEveryBlock) {
  Plan plan = tuning_plan_of(2, 5);
  plan.sweep.tune.clear();
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_all(schedule, {100, 10}).size(), 10u);
}

// A resumed sweep, and each block of --fresh-process, decides as the one that was not interrupted.
TEST(Tuning, ContinuesAfterAResumeAsBefore) {
  const Plan plan = tuning_plan_of(3, 8);
  const std::vector<double> rates = {100, 60, 104};
  SweepSchedule whole(plan, {});
  const auto expected = run_all(whole, rates);
  for (std::size_t done = 0; done < expected.size(); done += 3) {
    std::vector<EarlierRun> earlier;
    for (int block = 0; block < static_cast<int>(done) / 3; ++block) {
      for (const PlannedRun& run : planning::block(plan, block)) {
        if (std::ranges::count(expected, run.id) == 0) continue;
        earlier.push_back({.id = run.id,
                           .group = plan.points[run.point].group,
                           .samples_per_sec = rate_of(rates, run.point, block),
                           .block = block,
                           .session = 0});
      }
    }
    SweepSchedule rest(plan, earlier);
    auto ids = run_all(rest, rates);
    for (const EarlierRun& run : earlier) ids.push_back(run.id);
    std::ranges::sort(ids);
    EXPECT_EQ(ids, expected) << earlier.size() << " runs before";
  }
}

TEST(Tuning, AValueThatNeverRanIsNoRival) {
  const Plan plan = tuning_plan_of(3, 10);
  SweepSchedule schedule(plan, {});
  std::size_t runs = 0;
  while (const auto task = schedule.next(static_cast<double>(runs++))) {
    if (task->run.point == 1) {
      schedule.record_outcome(*task, Ending::kOom, std::nullopt);
    } else {
      schedule.record_outcome(*task, Ending::kOk,
                              rate_of({100, 0, 120}, task->run.point, task->run.block));
    }
  }
  EXPECT_LT(runs, 31u);
}

TEST(Tuning, APointThatAnotherComparisonNeedsStays) {
  Plan plan = tuning_plan_of(3, 10);
  Comparison other = plan.comparisons.front();
  other.values = {{"0", 0}, {"1", 1}};
  plan.comparisons.push_back(other);
  Tuner tuner(plan);
  for (int block = 0; block < 3; ++block) {
    tuner.add(0, block, 0, 100.0 + block);
    tuner.add(1, block, 0, 90.0 + block);
    tuner.add(2, block, 0, 200.0 + block);
  }
  EXPECT_TRUE(tuner.dropped_before(3).contains(1)) << "slower in both";
  for (int block = 0; block < 3; ++block) tuner.add(1, block, 0, 120.0 + block);
  EXPECT_FALSE(tuner.dropped_before(3).contains(1)) << "faster than 0 in the second";
  EXPECT_TRUE(tuner.dropped_before(2).empty());
}

}  // namespace
}  // namespace scalemark::planning
