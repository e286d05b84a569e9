// Whole sweeps with ranks that are threads: coordinator, schedule, verdicts and report are the
// program's own; a made-up training says what each task gives on each rank, and what happens
// meanwhile.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <map>
#include <numeric>

#include "core/reporting/output/earlier.h"
#include "core/reporting/point/rank_steps.h"
#include "engine/process/data_access.h"
#include "engine/process/telemetry.h"
#include "engine/sweeping/sweep_coordinator.h"
#include "tests/core/planning/plans.h"
#include "tests/core/reporting/sample_report.h"
#include "tests/engine/process/thread_ranks.h"

namespace scalemark::testing {
namespace {

namespace fs = std::filesystem;

using planning::Options;
using planning::Task;
using process::Ranks;
using process::TaskLoop;
using reporting::PointStatus;
using std::chrono::milliseconds;
using sweeping::RankResult;
using sweeping::TaskOutcome;

constexpr int kRanks = 3;
constexpr milliseconds kTraining{2'000};

// Called on each member of a task, while it trains. What it throws is the member's failure.
using Training = std::function<RankResult(int rank, const Task& task)>;
constexpr auto kWell = [](int, const Task&) { return RankResult{}; };

class Member : public sweeping::SweepMember {
 public:
  Member(Ranks& ranks, const planning::Plan& plan, const Training& training)
      : SweepMember(ranks), ranks_(ranks), plan_(plan), training_(training) {}

  bool data_holds_batch(const Task&) const override { return true; }
  std::string read_machine() override { return process::to_wire(reporting::RankReadings{}); }
  std::string fingerprint(sweeping::FingerprintPart) override { return "[]"; }

 protected:
  RankResult train(std::int64_t, const Task& task, TaskOutcome& outcome) override {
    const auto members = planning::members_of(plan_, task.run);
    const auto place = std::ranges::find(members, ranks_.rank()) - members.begin();
    outcome.world = {.rank = static_cast<int>(place),
                     .world_size = static_cast<int>(members.size()),
                     .launcher = "local"};
    ranks_.clock().sleep_for(kTraining);
    RankResult result = training_(ranks_.rank(), task);
    if (place == 0) measure(members, outcome.measured);
    return result;
  }
  void drop() noexcept override {}
  void give_back() override {}

 private:
  static void measure(const std::vector<int>& members, running::PointOutcome& measured) {
    const auto ranks = reporting::sample_measurements(static_cast<int>(members.size()));
    measured.series = reporting::series_of(ranks.front());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      reporting::take_largest(measured.series, reporting::series_of(ranks[i]));
      measured.ranks.push_back(reporting::condensed(ranks[i]));
      measured.ranks.back().rank.rank = members[i];
    }
  }

  Ranks& ranks_;
  const planning::Plan& plan_;
  const Training& training_;
};

// A sweep in a folder of its own, which may be started again.
class Sweep {
 public:
  explicit Sweep(Options options) : plan_(planning::plan(options, {0, 0, 0})) {
    char name[] = "/tmp/scalemark-sweep-XXXXXX";
    folder_ = fs::path(mkdtemp(name)) / "out";
    plan_.fingerprint_s = 0;
  }
  ~Sweep() { fs::remove_all(folder_.parent_path()); }

  planning::Plan& plan() { return plan_; }
  const fs::path& folder() const { return folder_; }

  void run(ThreadRanks& ranks, const Training& training) {
    ranks.run([&](Ranks& mine) { return run_rank(mine, training); });
  }
  void resume(const Training& training) {
    ThreadRanks ranks(kRanks);
    plan_.sweep.resume = true;
    run(ranks, training);
    EXPECT_EQ(ranks.end(0).code, ExitCode::kPass) << ranks.end(0).error.what;
  }
  reporting::Report report() const {
    auto report = reporting::read_earlier(folder_);
    EXPECT_TRUE(report);
    return report.value_or(reporting::Report{});
  }

 private:
  ExitCode run_rank(Ranks& ranks, const Training& training) {
    process::RunRequest request;
    request.settings.command = "sweep";
    request.settings.general.output = folder_.string();
    request.settings.general.quiet = true;
    request.world.rank = ranks.rank();
    request.world.world_size = ranks.size();
    const process::PhaseTracker phases(60, {});
    process::FailureReporter failures(request, phases);
    std::optional<process::RunReport> opened;
    try {
      process::DataAccess access;
      const sweeping::DatasetCache datasets(plan_, access);
      TaskLoop loop(ranks);
      Member member(ranks, plan_, training);
      sweeping::SweepReport report(
          {.request = request,
           .hosts = {{.hostname = "n1"}},
           .tool = reporting::this_tool(),
           .open = [&](process::RunReport::Opening opening) -> process::RunReport& {
             opening.tool = reporting::this_tool();
             return opened.emplace(request, std::move(opening), failures);
           }},
          plan_, datasets);
      if (ranks.rank() == 0) {
        sweeping::SweepCoordinator coordinator(request, loop, plan_, member, report,
                                               ranks.clock().now());
        return loop.lead(coordinator);
      }
      sweeping::SweepFollower follower(ranks, plan_, member);
      return loop.follow(follower);
    } catch (const Error& error) {  // while the report is still attached, as RankProcess does
      failures.report(error.record());
      throw;
    }
  }

  planning::Plan plan_;
  fs::path folder_;
};

constexpr Options kTwoSizes = {{"workload", "mlp"},   {"world_sizes", "1,3"}, {"batch_size", "8"},
                               {"iters", "4"},        {"warmup_iters", "1"},  {"repetitions", "3"},
                               {"strategies", "ddp"}, {"baseline", "off"}};

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
  Sweep sweep(kTwoSizes);
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, kWell);
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
}

// Points of one rank are measured by each in turn; rank 0 gets the outcome through the store.
TEST(SweepLoop, ARankMeasuresAPointAloneWhileTheOthersWait) {
  Sweep sweep(kTwoSizes);
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

TEST(SweepLoop, OutOfMemoryOnOneRankIsARowAndTheSweepGoesOn) {
  Sweep sweep(kTwoSizes);
  ThreadRanks ranks(kRanks);
  const std::string lost = middle_run(sweep.plan());
  sweep.run(ranks, [&](int rank, const Task& task) -> RankResult {
    if (rank == 2 && task.run.id == lost) throw std::bad_alloc();
    if (task.run.id == lost) throw c10::DistBackendError({__func__, __FILE__, 0}, "peer closed");
    return {};
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kUnsure);
  EXPECT_EQ(ranks.end(2).code, ExitCode::kUnsure);
  const auto report = sweep.report();
  EXPECT_EQ(report.status, reporting::ReportStatus::kComplete);
  EXPECT_EQ(row_of(report, lost).status, PointStatus::kOom);
  EXPECT_EQ(row_of(report, lost).oom.value().rank, 2);
}

TEST(SweepLoop, AFailedRunIsTriedAgainAndTheRowSaysSo) {
  Sweep sweep(kTwoSizes);
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
  Sweep sweep(kTwoSizes);
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
  Sweep sweep(kTwoSizes);
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
  Sweep sweep(kTwoSizes);
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
  sweep.resume(kWell);
  expect_each_run_once(sweep.report(), sweep.plan());
}

TEST(SweepLoop, AGpuFaultIsARowAndThenEndsTheSweep) {
  Sweep sweep(kTwoSizes);
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
}

TEST(SweepLoop, AStopOfTheMembersLeavesAReportThatIsGoneOnWith) {
  for (const bool agreed : {true, false}) {
    Sweep sweep(kTwoSizes);
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
    sweep.resume(kWell);
    expect_each_run_once(sweep.report(), sweep.plan());
    EXPECT_EQ(sweep.report().sessions.size(), 2u);
  }
}

TEST(SweepLoop, ASignalToARankThatWaitsStopsTheSweepBeforeItsNextRun) {
  for (int receiver = 0; receiver < kRanks; ++receiver) {
    Sweep sweep(kTwoSizes);
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
    EXPECT_LT(rows.size(), sweep.plan().runs.size());
    sweep.resume(kWell);
    expect_each_run_once(sweep.report(), sweep.plan());
  }
}

// Whichever request to the store is the last that a rank makes, the next session goes on, and no
// run is lost or measured twice.
TEST(SweepLoop, ASweepKilledAnywhereIsGoneOnWithRunByRun) {
  for (const int victim : {0, 1}) {
    std::set<std::size_t> rows_left;
    for (const int requests : {1, 2, 3, 5, 8, 13, 17, 21, 26, 34, 45, 55, 70, 89}) {
      Sweep sweep(kTwoSizes);
      ThreadRanks ranks(kRanks);
      std::atomic<int> left{requests};
      ranks.before_request([&](const Request& request) {
        const bool is_pulse = request.key.starts_with("task/pulse/");
        if (request.rank == victim && !is_pulse && left-- == 0) ranks.kill(victim);
      });
      sweep.run(ranks, kWell);
      EXPECT_TRUE(ranks.end(victim).killed) << requests;
      if (fs::exists(sweep.folder() / "report.json")) {
        rows_left.insert(runs_of(sweep.report()).size());
      }
      sweep.resume(kWell);
      expect_each_run_once(sweep.report(), sweep.plan());
    }
    EXPECT_GT(rows_left.size(), 3u) << "killed at different places";
  }
}

TEST(SweepLoop, ASweepThatIsCompleteRunsNothingMore) {
  Sweep sweep(kTwoSizes);
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, kWell);
  std::atomic<int> runs{0};
  sweep.resume([&](int, const Task&) {
    ++runs;
    return RankResult{};
  });
  EXPECT_EQ(runs, 0);
}

TEST(SweepLoop, OtherSettingsAreNotGoneOnWith) {
  Sweep sweep(kTwoSizes);
  ThreadRanks ranks(kRanks);
  sweep.run(ranks, kWell);
  planning::Plan other = planning::plan({{"workload", "mlp"},
                                         {"world_sizes", "1,3"},
                                         {"batch_size", "16"},
                                         {"iters", "4"},
                                         {"repetitions", "3"},
                                         {"baseline", "off"}},
                                        {0, 0, 0});
  other.fingerprint_s = 0;
  other.sweep.resume = true;
  sweep.plan() = other;
  ThreadRanks again(kRanks);
  sweep.run(again, kWell);
  EXPECT_EQ(again.end(0).code, ExitCode::kConfiguration);
  EXPECT_NE(again.end(0).error.what.find("--resume"), std::string::npos) << again.end(0).error.what;
}

TEST(SweepLoop, FreshProcessesEndAfterABlockAndGoOnWithTheNext) {
  Sweep sweep(kTwoSizes);
  sweep.plan().sweep.fresh_process = true;
  for (std::size_t block = 1; block <= 3; ++block) {
    ThreadRanks ranks(kRanks);
    sweep.run(ranks, kWell);
    EXPECT_EQ(ranks.end(0).code, ExitCode::kPass) << ranks.end(0).error.what;
    EXPECT_EQ(runs_of(sweep.report()).size(), block * sweep.plan().runs.size() / 3);
    EXPECT_EQ(sweep.report().status, reporting::ReportStatus::kPartial)
        << "the launcher writes the end";
  }
  expect_each_run_once(sweep.report(), sweep.plan());
}

}  // namespace
}  // namespace scalemark::testing
