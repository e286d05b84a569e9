#include "core/plan/sweep_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/plan/estimates.h"
#include "tests/core/plan/plans.h"

namespace scalemark::planning {
namespace {

using Ids = std::set<std::string>;
using Reasons = std::map<std::string, std::string>;

Plan schedule_plan_of(std::size_t points, int least_blocks) {
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
  Plan plan = schedule_plan_of(1, least_blocks);
  plan.points[0].batch_search = 0;
  plan.searches.push_back({.id = "search", .point = 0, .users = {0}});
  return plan;
}

// Runs the whole schedule, each run one second and ok; the ids in the order in which they ran.
std::vector<std::string> run_all(SweepSchedule& schedule) {
  std::vector<std::string> ids;
  while (const auto task = schedule.next(static_cast<double>(ids.size()))) {
    schedule.record_outcome(*task, Ending::kOk);
    ids.push_back(task->run.id);
    if (ids.size() > 1000) break;
  }
  return ids;
}

// A point that is known to `half_width` after so many repetitions.
PointPrecision known(std::size_t repetitions, double half_width, int sessions = 1) {
  return {.sessions = sessions,
          .throughput = {.repetitions = repetitions, .half_width = half_width, .steps = {}},
          .efficiencies = {}};
}

// Runs blocks until the schedule is over; after each one its points are known as `precision` says
// for so many repetitions. How many blocks there were.
int run_blocks(SweepSchedule& schedule, const std::function<Precisions(std::size_t)>& precision) {
  int blocks = 0;
  for (double now_s = 0; const auto task = schedule.next(now_s); ++now_s) {
    schedule.record_outcome(*task, Ending::kOk);
    if (!schedule.block_is_complete()) continue;
    ++blocks;
    schedule.note_precision(precision(static_cast<std::size_t>(task->run.block + 1)));
    if (blocks > 1000) break;
  }
  return blocks;
}

TEST(SweepSchedule, RunsEveryPointOncePerBlock) {
  const Plan plan = schedule_plan_of(3, 2);
  SweepSchedule schedule(plan, {});
  const auto ids = run_all(schedule);
  EXPECT_EQ(Ids(ids.begin(), ids.begin() + 3), (Ids{"p0/r0", "p1/r0", "p2/r0"}));
  EXPECT_EQ(Ids(ids.begin() + 3, ids.end()), (Ids{"p0/r1", "p1/r1", "p2/r1"}));
  EXPECT_EQ(schedule.stop_reasons(),
            (Reasons{{"p0", "repetitions"}, {"p1", "repetitions"}, {"p2", "repetitions"}}));
}

TEST(SweepSchedule, LeavesOutWhatAnEarlierSessionFinished) {
  const Plan plan = schedule_plan_of(2, 2);
  SweepSchedule schedule(plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 100},
                                {.id = "p1/r1", .group = "p1"}});
  const auto ids = run_all(schedule);
  EXPECT_EQ(Ids(ids.begin(), ids.end()), (Ids{"p1/r0", "p0/r1"}));
}

TEST(SweepSchedule, IsOverAtOnceWhenEverythingWasFinished) {
  const Plan plan = schedule_plan_of(1, 1);
  SweepSchedule schedule(plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 100}});
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, TriesAFailedRunAgainAsOftenAsAsked) {
  Plan plan = schedule_plan_of(1, 1);
  plan.sweep.retries = 2;
  SweepSchedule schedule(plan, {});
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto task = schedule.next(0);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->attempt, attempt);
    EXPECT_EQ(schedule.record_outcome(*task, Ending::kFailed), attempt == 2);
  }
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, MeasuresADisturbedRunAgainWithinRetries) {
  Plan plan = schedule_plan_of(1, 1);
  plan.sweep.retries = 2;
  SweepSchedule schedule(plan, {});
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto task = schedule.next(0);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->run.id, "p0/r0");
    EXPECT_EQ(task->attempt, attempt);
    EXPECT_EQ(schedule.repeats_disturbed_run(*task, 0), attempt < 2);
    EXPECT_EQ(schedule.runs_done(), 0u);
    if (attempt == 2) {
      EXPECT_TRUE(schedule.record_outcome(*task, Ending::kOk, 10));
    }
  }
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, ABlockIsCutWhileSomeOfItsRunsAreDone) {
  const Plan plan = schedule_plan_of(2, 2);
  SweepSchedule schedule(plan, {});
  std::vector<bool> cut{schedule.block_is_cut()};
  for (const auto expected : {true, false, true, false}) {
    const auto task = schedule.next(0);
    ASSERT_TRUE(task);
    schedule.record_outcome(*task, Ending::kOk);
    EXPECT_EQ(schedule.block_is_cut(), expected);
  }
  EXPECT_FALSE(cut.front());
}

// Failures and disturbances share --retries.
TEST(SweepSchedule, ARunThatFailedHasFewerRetriesLeft) {
  const Plan plan = schedule_plan_of(1, 1);
  SweepSchedule schedule(plan, {});
  EXPECT_FALSE(schedule.record_outcome(*schedule.next(0), Ending::kFailed, std::nullopt));
  EXPECT_FALSE(schedule.repeats_disturbed_run(*schedule.next(0), 0));
}

// The runs of a sweep in which runs are disturbed as `disturbed` says, in order: "a" once, "aa"
// measured again.
std::string measured(SweepSchedule& schedule, const std::vector<bool>& disturbed) {
  std::string all;
  std::size_t run = 0;
  while (const auto task = schedule.next(0)) {
    all += static_cast<char>('a' + run);
    if (disturbed.at(run) && schedule.repeats_disturbed_run(*task, 0)) continue;
    schedule.record_outcome(*task, Ending::kOk, 10);
    ++run;
  }
  return all;
}

TEST(SweepSchedule, StopsRepeatingWhatIsDisturbedAllTheTime) {
  const Plan plan = schedule_plan_of(1, 9);
  SweepSchedule always(plan, {});
  EXPECT_EQ(measured(always, std::vector<bool>(9, true)), "aabbccdefghi");
  SweepSchedule sometimes(plan, {});
  EXPECT_EQ(measured(sometimes, {true, true, true, true, false, true, false, false, false}),
            "aabbccdeffghi");
}

// A measured run must not be lost: it is repeated only where everything planned fits as well.
TEST(SweepSchedule, RepeatsOnlyWhereThereIsTime) {
  Plan plan = schedule_plan_of(2, 1);
  for (PlannedPoint& point : plan.points) point.estimated_s = 10;
  for (const double limit_s : {40.0, 400.0}) {
    Plan limited = plan;
    limited.stop.deadline_s = limit_s;
    SweepSchedule schedule(limited, {});
    const auto task = schedule.next(0);
    ASSERT_TRUE(task);
    schedule.record_duration(*task,
                             {.step_s = 0.1, .outside_s = 0});  // 100 steps and a warm-up: 12 s
    EXPECT_EQ(schedule.repeats_disturbed_run(*task, 15), limit_s > 100);
    if (limit_s > 100) {
      EXPECT_EQ(schedule.next(15)->attempt, 1);
    }
  }
}

TEST(SweepSchedule, DoesNotTryOutOfMemoryAgain) {
  const Plan plan = schedule_plan_of(1, 1);
  SweepSchedule schedule(plan, {});
  EXPECT_TRUE(schedule.record_outcome(*schedule.next(0), Ending::kOom));
  EXPECT_FALSE(schedule.next(0));
}

TEST(SweepSchedule, BuysBlocksUntilEveryPointIsKnownWellEnough) {
  Plan plan = schedule_plan_of(2, 10);
  plan.stop.until_ci = 0.01;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(
      run_blocks(
          schedule,
          [](std::size_t n) {
            return Precisions{{"p0", known(n, 0.001)}, {"p1", known(n, n < 14 ? 0.011 : 0.009)}};
          }),
      14);
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "until-ci"}, {"p1", "until-ci"}}));
  EXPECT_EQ(schedule.why_unconverged(), "");
  EXPECT_FALSE(schedule.outlook());
}

TEST(SweepSchedule, AnEfficiencyKeepsItGoing) {
  Plan plan = schedule_plan_of(2, 10);
  plan.stop.until_ci = 0.01;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_blocks(schedule,
                       [](std::size_t n) {
                         PointPrecision scaled = known(n, 0.001);
                         scaled.efficiencies.push_back({n, n < 12 ? 0.02 : 0.005, {}});
                         return Precisions{{"p0", known(n, 0.001)}, {"p1", scaled}};
                       }),
            12);
}

TEST(SweepSchedule, WhatItStillTakesIsForeseen) {
  Plan plan = schedule_plan_of(1, 10);
  plan.stop.until_ci = 0.01;
  plan.stop.max_time_s = 15;
  SweepSchedule schedule(plan, {});
  run_blocks(schedule, [](std::size_t n) { return Precisions{{"p0", known(n, 0.0143)}}; });
  const auto ahead = schedule.outlook();
  ASSERT_TRUE(ahead);
  EXPECT_EQ(ahead->group, "p0");
  EXPECT_GT(*ahead->repetitions, 18u);
  EXPECT_TRUE(schedule.why_unconverged().starts_with(
      "--until-ci was not reached within --max-time: p0 is known to 1.4 %; about "))
      << schedule.why_unconverged();
}

// More runs of a second session do not show by how much the two differ.
TEST(SweepSchedule, ASecondSessionDoesNotContinueForEver) {
  Plan plan = schedule_plan_of(1, 10);
  plan.stop.until_ci = 0.01;
  std::vector<EarlierRun> earlier;
  for (int k = 0; k < 10; ++k) {
    earlier.push_back({.id = "p0/r" + std::to_string(k), .group = "p0", .samples_per_sec = 100});
  }
  const auto two_sessions = [](std::size_t n) {
    PointPrecision point = known(n, 0, 2);
    point.throughput.half_width.reset();
    return Precisions{{"p0", point}};
  };
  SweepSchedule schedule(plan, earlier);
  schedule.note_precision({{"p0", known(10, 0.02)}});
  EXPECT_EQ(run_blocks(schedule, two_sessions), 1) << "one block, and no other";
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "unconverged"}}));
  EXPECT_TRUE(schedule.why_unconverged().starts_with("runs of two sessions give no interval"));
  EXPECT_FALSE(schedule.outlook());

  SweepSchedule third(plan, earlier);
  third.note_precision(two_sessions(11));
  EXPECT_EQ(run_blocks(third,
                       [](std::size_t n) {
                         return Precisions{{"p0", known(n, 0.009, 3)}};
                       }),
            1);
  EXPECT_EQ(third.stop_reasons(), (Reasons{{"p0", "until-ci"}}));

  SweepSchedule wide(plan, earlier);
  wide.note_precision(two_sessions(11));
  run_blocks(wide, [](std::size_t n) { return Precisions{{"p0", known(n, 0.05, 3)}}; });
  EXPECT_NE(wide.why_unconverged().find("--resume begins another one"), std::string::npos);
}

TEST(SweepSchedule, WithFreshProcessesBlocksAreSessions) {
  Plan plan = schedule_plan_of(1, 10);
  plan.stop.until_ci = 0.01;
  plan.sweep.fresh_process = true;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(
      run_blocks(schedule,
                 [](std::size_t n) {
                   return Precisions{{"p0", known(n, n < 13 ? 0.02 : 0.01, static_cast<int>(n))}};
                 }),
      13);
}

// A point that never becomes steady does not count against those that did or have no rate at all.
TEST(SweepSchedule, EachPointHasItsOwnReason) {
  Plan plan = schedule_plan_of(3, 10);
  plan.stop.until_ci = 0.01;
  plan.stop.max_time_s = 40;
  SweepSchedule schedule(plan, {});
  double now_s = 0;
  while (const auto task = schedule.next(now_s)) {
    for (const auto& [group, reason] : schedule.stop_reasons("interrupted")) {
      EXPECT_TRUE(group == "p2" || reason == "interrupted") << group << ' ' << reason;
    }
    schedule.record_outcome(*task, task->run.point == 2 ? Ending::kOom : Ending::kOk);
    const auto repetitions = static_cast<std::size_t>(task->run.block + 1);
    schedule.note_precision({{"p0", known(repetitions, 0.001)}, {"p1", known(repetitions, 0.3)}});
    now_s += 1;
  }
  EXPECT_EQ(schedule.stop_reasons(),
            (Reasons{{"p0", "until-ci"}, {"p1", "unconverged"}, {"p2", "repetitions"}}));
  EXPECT_NE(schedule.why_unconverged(), "");
}

TEST(SweepSchedule, WhatIsNotOverIsRunningOrInterrupted) {
  const Plan plan = schedule_plan_of(2, 1);
  SweepSchedule schedule(plan, {});
  EXPECT_TRUE(schedule.stop_reasons().empty());
  const auto task = schedule.next(0);
  schedule.record_outcome(*task, Ending::kOk);
  const std::string done = plan.points[task->run.point].group;
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{done, "repetitions"}})) << "it has all of its own";
  const Plan longer = schedule_plan_of(2, 2);
  SweepSchedule half(longer, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 100}});
  EXPECT_EQ(half.stop_reasons(), (Reasons{{"p0", "running"}}));
  EXPECT_EQ(half.stop_reasons("interrupted"), (Reasons{{"p0", "interrupted"}}));
}

TEST(SweepSchedule, ABurnInEndsByTime) {
  Plan plan = schedule_plan_of(1, 3);
  plan.stop.fill_time = true;
  plan.stop.max_time_s = 6;
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(schedule.runs_known(), 3u);
  EXPECT_EQ(run_all(schedule).size(), 6u);
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "time"}}));
  EXPECT_EQ(schedule.runs_done(), 6u);
  EXPECT_EQ(schedule.runs_known(), 6u) << "the total grows with the runs that are added";
}

TEST(SweepSchedule, RunsOfPointsThatAreNoLongerPlannedArePassedOver) {
  Plan plan = schedule_plan_of(2, 1);
  plan.points[1].skipped = "it cannot run any more";
  SweepSchedule schedule(plan, {{.id = "gone/r0", .group = "gone", .samples_per_sec = 100},
                                {.id = "p1/r0", .group = "p1", .samples_per_sec = 100}});
  EXPECT_EQ(schedule.runs_done(), 0u);
  EXPECT_EQ(run_all(schedule), std::vector<std::string>{"p0/r0"});
  EXPECT_EQ(schedule.stop_reasons(), (Reasons{{"p0", "repetitions"}}));
}

TEST(SweepSchedule, BeginsNoBlockThatWouldEndTooLate) {
  Plan plan = schedule_plan_of(2, 5);
  plan.stop.until_ci = 0.01;
  plan.stop.max_time_s = 7;  // a block takes 2 s here
  SweepSchedule schedule(plan, {});
  EXPECT_EQ(run_all(schedule).size(), 2u * 3u);
  EXPECT_EQ(schedule.why_unconverged(), "--until-ci was not reached within --max-time");
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
    schedule.record_outcome(*task, Ending::kOk);
    schedule.record_duration(*task, {.step_s = 2e-4, .outside_s = 0.4});
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
  schedule.record_outcome(*first, Ending::kOk);
  schedule.record_duration(*first,
                           {.step_s = 2, .outside_s = 1});  // ten thousand times the estimate
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
    schedule.record_duration({.run = {.point = i}},
                             {.step_s = i == 3 ? 10 : 1e-4, .outside_s = 0.1});
  }
  std::vector<std::size_t> ran;
  while (const auto task = schedule.next(static_cast<double>(ran.size()))) {
    schedule.record_outcome(*task, Ending::kOk);
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
  // Two repetitions of three points, and eight steps more where buckets are timed, and the exchange
  // by itself.
  double expected = 6 * (0.4 + 2 + 2.2);
  for (const PlannedPoint& point : plan.points) {
    const bool exchanges = point.settings.parallel.strategy == "ddp" && point.world_size > 1;
    if (exchanges) expected += 2 * 8 * estimated_step_s(point.settings, point.world_size);
  }
  EXPECT_NEAR(*schedule.remaining_s(0), expected, 1e-6);
  schedule.record_outcome(*first, Ending::kOk);
  schedule.record_duration(*first, {.step_s = 1, .outside_s = 3});
  // 20 steps and 100 steps of the measured point; the others' as much longer than their estimates.
  EXPECT_GT(*schedule.remaining_s(10), 5 * (3 + 20 + 100) * 0.9);
  const double planned_s = *schedule.remaining_s(10);
  plan.stop.until_ci = 0.01;
  EXPECT_FALSE(schedule.remaining_s(10)) << "nobody knows";
  schedule.note_precision({{plan.points[first->run.point].group, known(10, 0.03)}});
  EXPECT_GT(*schedule.remaining_s(10), planned_s) << "by the outlook";
}

TEST(SweepSchedule, WhatAnEarlierSessionDidTakesNoTime) {
  Plan plan = schedule_plan_of(1, 2);
  plan.stop.max_time_s = 10;
  const EarlierRun first{.id = "p0/r0", .group = "p0", .samples_per_sec = 100};
  const EarlierRun second{.id = "p0/r1", .group = "p0", .samples_per_sec = 100};
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
      schedule.record_outcome(*task, Ending::kOk);
      continue;
    }
    tried.push_back(task->batch_size);
    schedule.record_outcome(*task, task->batch_size <= 45 ? Ending::kOk : Ending::kOom);
  }
  EXPECT_EQ(tried, (std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 48, 40}));
}

TEST(SweepSchedule, TakesAnEarlierSessionsAnswerToABatchSearch) {
  const Plan plan = plan_with_search(2);
  SweepSchedule schedule(
      plan, {{.id = "p0/r0", .group = "p0", .samples_per_sec = 100, .batch_size = 24}});
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
