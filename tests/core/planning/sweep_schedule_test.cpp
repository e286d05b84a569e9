#include "core/planning/sweep_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/planning/estimates.h"
#include "tests/core/planning/plans.h"

namespace scalemark::planning {
namespace {

using Ids = std::set<std::string>;
using Reasons = std::map<std::string, std::string>;

Plan plan_of(std::size_t points, int least_blocks) {
  Plan plan;
  plan.stop.least_blocks = least_blocks;
  for (std::size_t i = 0; i < points; ++i) {
    PlannedPoint point;
    point.group = "p" + std::to_string(i);
    plan.points.push_back(point);
  }
  return plan;
}

Plan plan_with_search(int least_blocks) {
  Plan plan = plan_of(1, least_blocks);
  plan.points[0].batch_search = 0;
  plan.searches.push_back({.id = "search", .point = 0, .users = {0}});
  return plan;
}

// Runs the whole schedule, each run one second and ok; the ids in the order in which they ran.
std::vector<std::string> run_all(SweepSchedule& schedule) {
  std::vector<std::string> ids;
  while (const auto task = schedule.next(static_cast<double>(ids.size()))) {
    schedule.record_outcome(*task, Ending::kOk, 10);
    ids.push_back(task->run.id);
    if (ids.size() > 1000) break;
  }
  return ids;
}

TEST(SweepSchedule, RunsEveryPointOncePerBlock) {
  const Plan plan = plan_of(3, 2);
  SweepSchedule schedule(plan, {});
  const auto ids = run_all(schedule);
  EXPECT_EQ(Ids(ids.begin(), ids.begin() + 3), (Ids{"p0/r0", "p1/r0", "p2/r0"}));
  EXPECT_EQ(Ids(ids.begin() + 3, ids.end()), (Ids{"p0/r1", "p1/r1", "p2/r1"}));
  EXPECT_EQ(schedule.stop_reasons(),
            (Reasons{{"p0", "repetitions"}, {"p1", "repetitions"}, {"p2", "repetitions"}}));
}

TEST(SweepSchedule, LeavesOutWhatAnEarlierSessionFinished) {
  const Plan plan = plan_of(2, 2);
  SweepSchedule schedule(plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 10.0},
                                {.id = "p1/r1", .group = "p1", .samples_per_sec = std::nullopt}});
  const auto ids = run_all(schedule);
  EXPECT_EQ(Ids(ids.begin(), ids.end()), (Ids{"p1/r0", "p0/r1"}));
}

TEST(SweepSchedule, IsOverAtOnceWhenEverythingWasFinished) {
  const Plan plan = plan_of(1, 1);
  SweepSchedule schedule(plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 10.0}});
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, TriesAFailedRunAgainAsOftenAsAsked) {
  Plan plan = plan_of(1, 1);
  plan.sweep.retries = 2;
  SweepSchedule schedule(plan, {});
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto task = schedule.next(0);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->attempt, attempt);
    EXPECT_EQ(schedule.record_outcome(*task, Ending::kFailed, std::nullopt), attempt == 2);
  }
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, DoesNotTryOutOfMemoryAgain) {
  const Plan plan = plan_of(1, 1);
  SweepSchedule schedule(plan, {});
  EXPECT_TRUE(schedule.record_outcome(*schedule.next(0), Ending::kOom, std::nullopt));
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, BuysBlocksUntilEveryPointIsKnownWellEnough) {
  Plan plan = plan_of(2, 5);
  plan.stop.until_ci = 0.01;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_all(schedule).size(), 2u * 10u);  // constant rates: as soon as it looks
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "until-ci"}, {"p1", "until-ci"}}));
  EXPECT_FALSE(schedule.unconverged());
}

// One point that never settles is no word against those that did, or that have no rate at all.
TEST(SweepSchedule, EachPointHasItsOwnReason) {
  Plan plan = plan_of(3, 5);
  plan.stop.until_ci = 0.01;
  plan.stop.max_time_s = 40;
  SweepSchedule schedule(plan, {});
  double now_s = 0;
  while (const auto task = schedule.next(now_s)) {
    for (const auto& [group, reason] : schedule.stop_reasons("interrupted")) {
      EXPECT_TRUE(group == "p2" || reason == "interrupted") << group << ' ' << reason;
    }
    const std::size_t point = task->run.point;
    const double noisy = task->run.block % 2 == 0 ? 10 : 20;
    if (point == 2) {
      schedule.record_outcome(*task, Ending::kOom, std::nullopt);
    } else {
      schedule.record_outcome(*task, Ending::kOk, point == 0 ? 10 : noisy);
    }
    now_s += 1;
  }
  EXPECT_EQ(schedule.stop_reasons(),
            (Reasons{{"p0", "until-ci"}, {"p1", "unconverged"}, {"p2", "repetitions"}}));
  EXPECT_TRUE(schedule.unconverged());
}

TEST(SweepSchedule, WhatIsNotOverIsRunningOrInterrupted) {
  const Plan plan = plan_of(2, 1);
  SweepSchedule schedule(plan, {});
  EXPECT_TRUE(schedule.stop_reasons().empty());
  const auto task = schedule.next(0);
  schedule.record_outcome(*task, Ending::kOk, 10);
  const std::string done = plan.points[task->run.point].group;
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{done, "repetitions"}})) << "it has all of its own";
  const Plan longer = plan_of(2, 2);
  SweepSchedule half(longer, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 10.0}});
  EXPECT_EQ(half.stop_reasons(), (Reasons{{"p0", "running"}}));
  EXPECT_EQ(half.stop_reasons("interrupted"), (Reasons{{"p0", "interrupted"}}));
}

TEST(SweepSchedule, ABurnInEndsByTime) {
  Plan plan = plan_of(1, 3);
  plan.stop.fill_time = true;
  plan.stop.max_time_s = 6;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(schedule.runs_known(), 3u);
  EXPECT_EQ(run_all(schedule).size(), 6u);
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "time"}}));
  EXPECT_EQ(schedule.runs_done(), 6u);
  EXPECT_EQ(schedule.runs_known(), 6u) << "the total grows with what is bought";
}

TEST(SweepSchedule, RunsOfPointsThatAreNoLongerPlannedArePassedOver) {
  Plan plan = plan_of(2, 1);
  plan.points[1].skipped = "it cannot run any more";
  SweepSchedule schedule(plan, {{.id = "gone/r0", .group = "gone", .samples_per_sec = 5.0},
                                {.id = "p1/r0", .group = "p1", .samples_per_sec = 5.0}});
  EXPECT_EQ(schedule.runs_done(), 0u);
  EXPECT_EQ(run_all(schedule), std::vector<std::string>{"p0/r0"});
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "repetitions"}}));
}

TEST(SweepSchedule, BeginsNoBlockThatWouldEndTooLate) {
  Plan plan = plan_of(2, 5);
  plan.stop.until_ci = 0.01;
  plan.stop.max_time_s = 7;  // a block takes 2 s here
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_all(schedule).size(), 2u * 3u);
  EXPECT_TRUE(schedule.unconverged());
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "unconverged"}, {"p1", "unconverged"}}));
}

// Real points: 3 of linear, whose estimated runs take what their windows are long.
Plan linear_plan(double deadline_s) {
  Plan made = plan({{"workload", "linear"}, {"world_sizes", "1,2"}, {"repetitions", "2"}}, {0, 0});
  made.stop.deadline_s = deadline_s;
  return made;
}

TEST(SweepSchedule, CutsRunsSoThatAllOfThemFitIntoTheTime) {
  const Plan plan = linear_plan(20);  // 6 runs of 2 + 2.2 + 0.4 s by the estimate
  SweepSchedule schedule(plan, {});
  double now_s = 1;
  int runs = 0;
  while (const auto task = schedule.next(now_s)) {
    const RunLength length = length_of(plan, *task);
    ASSERT_TRUE(task->cut);
    EXPECT_LT(*length.most_window_s, 2.2);
    now_s += 0.4 + *length.most_warmup_s + *length.most_window_s;
    schedule.record_outcome(*task, Ending::kOk, 10);
    schedule.took(*task, {.step_s = 2e-4, .outside_s = 0.4});
    ++runs;
  }
  EXPECT_EQ(runs, 6);
  EXPECT_FALSE(schedule.out_of_time());
  EXPECT_LE(now_s, 20);
  EXPECT_GT(now_s, 18) << "the time is used";
}

TEST(CutShort, LeavesWhatWasAskedForAndFiveSteps) {
  const Plan asked = plan({{"min_time", "3"}, {"warmup_iters", "50"}});
  const RunLength length = cut_short(asked.points[0], {});
  EXPECT_DOUBLE_EQ(estimated_warmup_s(length, 0.1), 5);
  EXPECT_DOUBLE_EQ(estimated_window_s(length, 0.1), 3);
  EXPECT_EQ(length.warmup_iters, 50);
  EXPECT_FALSE(length.most_warmup_s) << "a number of steps rules alone";
  const RunLength least = cut_short(plan({}).points[0], {});
  EXPECT_DOUBLE_EQ(estimated_warmup_s(least, 0.1), 0.5);
  EXPECT_DOUBLE_EQ(estimated_window_s(least, 0.1), 0.5);
}

TEST(SweepSchedule, ARunThatWouldEndTooLateDoesNotBegin) {
  const Plan plan = linear_plan(20);
  SweepSchedule schedule(plan, {});
  const auto first = schedule.next(0);
  ASSERT_TRUE(first);
  schedule.record_outcome(*first, Ending::kOk, 10);
  schedule.took(*first, {.step_s = 2, .outside_s = 1});  // ten thousand times the estimate
  EXPECT_FALSE(schedule.next(8)) << "5 + 5 steps of 2 s";
  EXPECT_TRUE(schedule.out_of_time());
  EXPECT_EQ(schedule.never_ran().size(), 2u);
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{plan.points[first->run.point].group, "max-time"}}));
}

TEST(SweepSchedule, WhatFitsRunsAlthoughALargerPointDoesNot) {
  Plan sizes = plan({{"workload", "linear"}, {"batch_size", "1,2,4,8"}, {"world_sizes", "1"}}, {0});
  sizes.stop.deadline_s = 20;
  ASSERT_EQ(sizes.points.size(), 4u);
  SweepSchedule schedule(sizes, {});
  // Measured before: two steps of the largest batch take as long as there is time.
  for (std::size_t i = 0; i < 4; ++i) {
    schedule.took({.run = {.point = i}}, {.step_s = i == 3 ? 10 : 1e-4, .outside_s = 0.1});
  }
  std::vector<std::size_t> ran;
  while (const auto task = schedule.next(static_cast<double>(ran.size()))) {
    schedule.record_outcome(*task, Ending::kOk, 10);
    ran.push_back(task->run.point);
  }
  // The first run begins whatever it is.
  EXPECT_EQ(std::count(ran.begin() + 1, ran.end(), 3u), 0);
  EXPECT_EQ(std::set(ran.begin(), ran.end()).size() + schedule.never_ran().size(), 4u);
  EXPECT_GE(ran.size(), 3u) << "the small ones of the first block";
  EXPECT_TRUE(schedule.out_of_time());
}

TEST(SweepSchedule, SaysHowLongTheRestTakesByWhatWasMeasured) {
  Plan plan = linear_plan(1e6);
  plan.stop.deadline_s.reset();
  SweepSchedule schedule(plan, {});
  const auto first = schedule.next(0);
  EXPECT_NEAR(*schedule.remaining_s(0), 6 * (0.4 + 2 + 2.2), 0.01);
  schedule.record_outcome(*first, Ending::kOk, 10);
  schedule.took(*first, {.step_s = 1, .outside_s = 3});
  // 20 steps and 100 steps of the measured point; the others' as much longer than their estimates.
  EXPECT_GT(*schedule.remaining_s(10), 5 * (3 + 20 + 100) * 0.9);
  plan.stop.until_ci = 0.01;
  EXPECT_FALSE(schedule.remaining_s(10)) << "nobody knows";
}

TEST(SweepSchedule, WhatAnEarlierSessionDidTakesNoTime) {
  Plan plan = plan_of(1, 2);
  plan.stop.max_time_s = 10;
  const EarlierRun first{.id = "p0/r0", .group = "p0", .samples_per_sec = 10.0};
  const EarlierRun second{.id = "p0/r1", .group = "p0", .samples_per_sec = 10.0};
  SweepSchedule over(plan, {first, second});
  EXPECT_FALSE(over.next(20));
  EXPECT_FALSE(over.out_of_time());
  SweepSchedule missing(plan, {first});
  EXPECT_FALSE(missing.next(20));
  EXPECT_TRUE(missing.out_of_time());
}

TEST(SweepSchedule, AnswersABatchSearchBeforeItsPointsRun) {
  const Plan plan = plan_with_search(1);
  SweepSchedule schedule(plan, {});
  std::vector<std::int64_t> tried;
  while (const auto task = schedule.next(0)) {
    if (task->kind == Task::Kind::kRun) {
      EXPECT_EQ(task->batch_size, 40);
      schedule.record_outcome(*task, Ending::kOk, 10);
      continue;
    }
    tried.push_back(task->batch_size);
    schedule.record_outcome(*task, task->batch_size <= 45 ? Ending::kOk : Ending::kOom,
                            std::nullopt);
  }
  EXPECT_EQ(tried, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 48, 40}));
}

TEST(SweepSchedule, TakesAnEarlierSessionsAnswerToABatchSearch) {
  const Plan plan = plan_with_search(2);
  SweepSchedule schedule(
      plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 10.0, .batch_size = 24}});
  const auto task = schedule.next(0);
  ASSERT_TRUE(task);
  EXPECT_EQ(task->run.id, "p0/r1");
  EXPECT_EQ(task->batch_size, 24);
}

TEST(BatchFinder, SaysZeroWhenNotEvenOneSampleFits) {
  BatchFinder finder;
  EXPECT_EQ(finder.next(), 1);
  finder.tried(false);
  EXPECT_FALSE(finder.next());
  EXPECT_EQ(finder.largest(), 0);
}

TEST(BatchFinder, KeepsASmallAnswerThatIsNoMultipleOfEight) {
  BatchFinder finder;
  while (const auto batch = finder.next()) finder.tried(*batch <= 5);
  EXPECT_EQ(finder.largest(), 4);
}

}  // namespace
}  // namespace scalemark::planning
