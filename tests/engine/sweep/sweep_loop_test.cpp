// How a sweep ends whose ranks fail, are lost, stopped or killed: with ranks that are threads.
#include <c10/util/Exception.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "core/base/error.h"
#include "tests/core/plan/plans.h"
#include "tests/engine/sweep/thread_sweep.h"

namespace scalemark::testing {
namespace {

namespace fs = std::filesystem;

using planning::Options;
using planning::Task;
using reporting::PointStatus;
using std::chrono::milliseconds;
using sweeping::RankResult;

constexpr int kRanks = ThreadSweep::kRanks;

constexpr Options kTwoSizes = {{"workload", "mlp"}, {"world_sizes", "1,3"}, {"batch_size", "8"},
                               {"iters", "4"},      {"warmup_iters", "1"},  {"repetitions", "3"},
                               {"strategy", "ddp"}, {"baseline", "off"}};

std::map<std::string, int> runs_of(const reporting::Report& report) {
  std::map<std::string, int> count;
  for (const auto& row : report.points) {
    if (row.status == PointStatus::kOk) ++count[row.id];
  }
  return count;
}

void expect_each_run_once(const reporting::Report& report, const planning::Plan& plan) {
  const auto count = runs_of(report);
  EXPECT_EQ(count.size(), plan.runs.size());
  for (const auto& run : plan.runs) EXPECT_EQ(count.contains(run.id), true) << run.id;
  for (const auto& [id, runs] : count) EXPECT_EQ(runs, 1) << id;
}

const reporting::PointRecord& row_of(const reporting::Report& report, const std::string& id) {
  for (const auto& row : report.points) {
    if (row.id == id) return row;
  }
  throw std::logic_error("no row " + id);
}

// A run of all three ranks in the middle block.
std::string middle_run(const planning::Plan& plan) {
  for (const auto& run : plan.runs) {
    if (run.block == 1 && planning::members_of(plan, run).size() == kRanks) return run.id;
  }
  throw std::logic_error("no run of all ranks");
}

TEST(SweepLoop, EveryPlannedRunBecomesOneRow) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, trains_well);
  for (int rank = 0; rank < kRanks; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kPass);
  const auto report = sweep.report();
  EXPECT_EQ(report.status, reporting::ReportStatus::kComplete);
  EXPECT_EQ(report.exit_code, 0);
  expect_each_run_once(report, sweep.plan());
  for (const auto& row : report.points) {
    ASSERT_EQ(row.ranks.size(), row.members.size()) << row.id;
    for (std::size_t i = 0; i < row.ranks.size(); ++i) {
      EXPECT_EQ(row.ranks[i].rank, row.members[i]) << row.id;
    }
    EXPECT_NEAR(row.outside_window_s.value(), 2.0, 0.2) << row.id;
  }
  ASSERT_EQ(report.sessions.size(), 1u);
  EXPECT_NE(report.sessions[0].finished, "");
  EXPECT_FALSE(report.groups.empty());
  // Every rank gives back after every task, and before each of three blocks after the machines were
  // checked.
  const int after_tasks = kRanks * static_cast<int>(sweep.plan().runs.size());
  EXPECT_GE(sweep.counts.given_back, after_tasks);
  EXPECT_LE(sweep.counts.given_back, after_tasks + 3 * kRanks);
  EXPECT_EQ(sweep.counts.dropped, 0);
}

// Points of one rank are measured by each in turn; rank 0 gets the outcome through the store.
TEST(SweepLoop, ARankMeasuresAPointAloneWhileTheOthersWait) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  std::map<int, int> alone;
  std::mutex mutex;
  sweep.run(ranks, [&](int rank, const Task& task) {
    const std::lock_guard lock(mutex);
    if (planning::members_of(sweep.plan(), task.run).size() == 1) ++alone[rank];
    return RankResult{};
  });
  std::map<int, int> in_report;
  for (const auto& row : sweep.report().points) {
    if (row.members.size() == 1) ++in_report[row.ranks.at(0).rank];
  }
  EXPECT_EQ(in_report, alone);
  EXPECT_GT(alone.size(), 1u);
}

TEST(SweepLoop, OutOfMemoryOnOneRankIsARowAndTheSweepContinues) {
  for (const bool allowed : {false, true}) {
    ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
    sweep.plan().sweep.allow_oom = allowed;
    ThreadRanks ranks(kRanks);
    const std::string lost = middle_run(sweep.plan());
    sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
      if (rank == 2 && task.run.id == lost) throw std::bad_alloc();
      if (task.run.id == lost) throw c10::DistBackendError({__func__, __FILE__, 0}, "peer closed");
      return {};
    });
    const ExitCode expected = allowed ? ExitCode::kPass : ExitCode::kUnsure;
    EXPECT_EQ(ranks.end(0).code, expected);
    EXPECT_EQ(ranks.end(2).code, expected);
    const auto report = sweep.report();
    EXPECT_EQ(report.status, reporting::ReportStatus::kComplete);
    EXPECT_EQ(row_of(report, lost).status, PointStatus::kOom);
    EXPECT_EQ(row_of(report, lost).oom.value().rank, 2);
    EXPECT_EQ(sweep.counts.dropped, kRanks) << "each lets go of its group";
  }
}

TEST(SweepLoop, AFailedRunIsTriedAgainAndTheRowSaysSo) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  std::atomic<int> failures{0};
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (task.run.id == lost && task.attempt == 0 && rank == 1) {
      ++failures;
      throw std::runtime_error("a stick of memory is loose");
    }
    return {};
  });
  EXPECT_EQ(failures, 1);
  const auto report = sweep.report();
  expect_each_run_once(report, sweep.plan());
  const auto& row = row_of(report, lost);
  ASSERT_EQ(row.attempts.size(), 2u);
  EXPECT_NE(row.attempts[0].reason.find("rank 1"), std::string::npos) << row.attempts[0].reason;
  EXPECT_NE(row.attempts[0].reason.find("stick of memory"), std::string::npos);
  EXPECT_TRUE(row.attempts[1].reason.empty());
}

TEST(SweepLoop, ARunThatFailsEachTimeIsAFailedRow) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (task.run.id == lost && rank == 0) throw std::runtime_error("always");
    return {};
  });
  const auto report = sweep.report();
  EXPECT_EQ(row_of(report, lost).status, PointStatus::kFailed);
  EXPECT_EQ(runs_of(report).size(), sweep.plan().runs.size() - 1);
  EXPECT_EQ(ranks.end(1).code, ExitCode::kUnsure);
}

// The rank that caused it reports later than those that lost it.
TEST(SweepLoop, TheCauseOfALostPeerIsWaitedFor) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (task.run.id != lost) return {};
    if (rank == 1) {
      ranks.clock().sleep_for(milliseconds(3'000));
      throw std::bad_alloc();
    }
    throw c10::DistBackendError({__func__, __FILE__, 0}, "Connection closed by peer");
  });
  EXPECT_EQ(row_of(sweep.report(), lost).oom.value().rank, 1);
}

TEST(SweepLoop, ALostPeerWithoutACauseEndsTheSweep) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  sweep.run(ranks, [&](int, const Task& task) -> RankResult {
    if (task.run.id != lost) return {};
    throw c10::DistBackendError({__func__, __FILE__, 0}, "Connection closed by peer");
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPeerLost);
  const auto report = sweep.report();
  EXPECT_EQ(report.status, reporting::ReportStatus::kFailed);
  EXPECT_EQ(report.exit_code, 69);
  sweep.resume(trains_well);
  expect_each_run_once(sweep.report(), sweep.plan());
}

TEST(SweepLoop, AGpuFaultIsARowAndThenEndsTheSweep) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (task.run.id == lost && rank == 2) {
      throw std::runtime_error("CUDA error: an illegal memory access was encountered");
    }
    return {};
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kGpuFault);
  const auto report = sweep.report();
  EXPECT_EQ(row_of(report, lost).status, PointStatus::kFailed);
  EXPECT_EQ(report.exit_code, 84);
  EXPECT_EQ(ranks.end(2).code, ExitCode::kGpuFault);
}

TEST(SweepLoop, AStopOfTheMembersLeavesAReportThatIsContinued) {
  for (const bool agreed : {true, false}) {
    ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
    ThreadRanks ranks(kRanks);
    const std::string at = middle_run(sweep.plan());
    sweep.run(ranks, [&](int, const Task& task) -> RankResult {
      if (task.run.id != at) return {};
      return {.kind = RankResult::Kind::kStopped, .signal = SIGTERM, .agreed = agreed};
    });
    for (int rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(ranks.end(rank).code, ExitCode::kPreempted);
      EXPECT_EQ(ranks.end(rank).stop.value().agreed, agreed);
    }
    const auto report = sweep.report();
    EXPECT_FALSE(runs_of(report).contains(at)) << "an unfinished window is no row";
    EXPECT_TRUE(fs::exists(sweep.folder() / "report.md"));
    sweep.resume(trains_well);
    expect_each_run_once(sweep.report(), sweep.plan());
    EXPECT_EQ(sweep.report().sessions.size(), 2u);
  }
}

TEST(SweepLoop, ASignalDuringARunStopsTheSweepSoonAfterIt) {
  for (int receiver = 0; receiver < kRanks; ++receiver) {
    ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
    ThreadRanks ranks(kRanks);
    const std::string at = middle_run(sweep.plan());
    sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
      if (task.run.id == at && rank == 0) ranks.send_signal(receiver, SIGINT);
      return {};
    });
    for (int rank = 0; rank < kRanks; ++rank) {
      EXPECT_EQ(ranks.end(rank).code, ExitCode::kInterrupted) << receiver;
    }
    const auto rows = runs_of(sweep.report());
    EXPECT_TRUE(rows.contains(at)) << "the run that it came in had ended well";
    const auto& runs = sweep.plan().runs;
    const auto last = std::ranges::find(runs, at, &planning::PlannedRun::id) - runs.begin();
    // Rank 0 may have posted the next run before another rank has passed its signal on.
    EXPECT_GE(std::ssize(rows), last + 1);
    EXPECT_LE(std::ssize(rows), last + (receiver == 0 ? 1 : 2)) << receiver;
    sweep.resume(trains_well);
    expect_each_run_once(sweep.report(), sweep.plan());
  }
}

// Whichever request to the store is the last that a rank makes, the next session continues, and no
// run is lost or measured twice.
TEST(SweepLoop, ASweepKilledAnywhereIsContinuedRunByRun) {
  for (const int victim : {0, 1}) {
    std::set<std::size_t> rows_left;
    for (const int requests : {1, 2, 3, 5, 8, 13, 17, 21, 26, 34, 45, 55, 70, 89}) {
      ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
      ThreadRanks ranks(kRanks);
      std::atomic<int> left{requests};
      ranks.before_request([&](const Request& request) {
        const bool is_heartbeat = request.key.starts_with("task/heartbeat/");
        if (request.rank == victim && !is_heartbeat && left-- == 0) ranks.kill(victim);
      });
      sweep.run(ranks, trains_well);
      EXPECT_TRUE(ranks.end(victim).killed) << requests;
      if (fs::exists(sweep.folder() / "report.json")) {
        rows_left.insert(runs_of(sweep.report()).size());
      }
      sweep.resume(trains_well);
      expect_each_run_once(sweep.report(), sweep.plan());
    }
    EXPECT_GT(rows_left.size(), 3u) << "killed at different places";
  }
}

TEST(SweepLoop, ASweepThatIsCompleteRunsNothingMore) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, trains_well);
  std::atomic<int> runs{0};
  sweep.resume([&](int, const Task&) {
    ++runs;
    return RankResult{};
  });
  EXPECT_EQ(runs, 0);
}

TEST(SweepLoop, FreshProcessesEndAfterABlockAndContinueWithTheNext) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  sweep.plan().sweep.fresh_process = true;
  for (std::size_t block = 1; block <= 3; ++block) {
    ThreadRanks ranks(kRanks);
    sweep.run(ranks, trains_well);
    EXPECT_EQ(ranks.end(0).code, ExitCode::kPass) << ranks.end(0).error.what;
    EXPECT_EQ(runs_of(sweep.report()).size(), block * sweep.plan().runs.size() / 3);
    EXPECT_EQ(sweep.report().status, reporting::ReportStatus::kPartial)
        << "the launcher writes the end";
  }
  expect_each_run_once(sweep.report(), sweep.plan());
}

// A trial: rank 1 has memory for batches of up to 100.
RankResult with_little_memory(int rank, std::int64_t batch_size) {
  if (rank == 1 && batch_size > 100) throw std::bad_alloc();
  if (batch_size > 100) throw c10::DistBackendError({__func__, __FILE__, 0}, "peer closed");
  return {};
}

constexpr Options kSearched = {{"workload", "mlp"}, {"world_sizes", "3"},  {"batch_size", "auto"},
                               {"iters", "4"},      {"warmup_iters", "1"}, {"repetitions", "1"},
                               {"strategy", "ddp"}, {"baseline", "off"}};

TEST(SweepLoop, ASearchFindsTheLargestBatchThatFitsOnTheRankWithTheLeastMemory) {
  ThreadSweep sweep(planning::plan(kSearched, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, [&](int rank, const Task& task) {
    return with_little_memory(rank, planning::settings_of(sweep.plan(), task).size.batch_size);
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPass) << ranks.end(0).error.what;
  for (const auto& row : sweep.report().points) EXPECT_EQ(row.batch_size, 96) << row.id;
  EXPECT_FALSE(sweep.report().points.empty());
}

TEST(SweepLoop, ASearchTakesNoBatchThatTheDataDoNotHold) {
  ThreadSweep sweep(planning::plan(kSearched, kThreeOnOneNode));
  sweep.data_holds = [](std::int64_t batch_size) { return batch_size <= 24; };
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, trains_well);
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPass);
  EXPECT_FALSE(sweep.report().points.empty());
  for (const auto& row : sweep.report().points) EXPECT_EQ(row.batch_size, 24) << row.id;
}

TEST(SweepLoop, ATrialThatFailsForItsOwnReasonEndsTheSweepWithIt) {
  ThreadSweep sweep(planning::plan(kSearched, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (rank != 2 || task.batch_size < 4) return {};
    throw Error(ErrorRecord{
        .code = "E_NUMERICS", .exit_code = ExitCode::kNumerics, .what = "the loss is not finite"});
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kNumerics);
  EXPECT_NE(ranks.end(0).error.what.find("batch search, trial 4: rank 2: E_NUMERICS"),
            std::string::npos)
      << ranks.end(0).error.what;
  EXPECT_EQ(sweep.report().status, reporting::ReportStatus::kFailed);
}

TEST(SweepLoop, WhereNothingFitsTheExitCodeSaysSo) {
  ThreadSweep sweep(planning::plan(kTwoSizes, kThreeOnOneNode));
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, [](int, const Task&) -> RankResult { throw std::bad_alloc(); });
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(ranks.end(rank).code, ExitCode::kOutOfMemory);
  }
  const auto report = sweep.report();
  EXPECT_EQ(report.exit_code, 80);
  EXPECT_EQ(report.status, reporting::ReportStatus::kComplete);
  for (const auto& row : report.points) EXPECT_EQ(row.status, PointStatus::kOom) << row.id;
}

}  // namespace
}  // namespace scalemark::testing
