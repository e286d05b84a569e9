// `comm` with ranks that are threads: order of batches, coordinator, rows and report are the
// program's own; a made-up member says what each run gives.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <set>

#include "core/base/wire.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/plan/collectives/make_collective_plan.h"
#include "core/settings/comm_settings.h"
#include "engine/comm/comm_coordinator.h"
#include "engine/distributed/errors.h"
#include "engine/process/failure_reporter.h"
#include "report/keep/earlier.h"
#include "report/record/verdict.h"
#include "tests/engine/process/thread_ranks.h"

namespace scalemark::testing {
namespace {

namespace fs = std::filesystem;
using communicating::CollectiveOutcome;
using communicating::CommMember;
using planning::CollectiveBatch;
using planning::CollectivePlan;
using planning::CollectivePoint;
using process::RankLink;
using std::chrono::milliseconds;

constexpr int kMembers = 3;
constexpr milliseconds kMeasuring{200};

CollectivePlan plan_of(const std::map<std::string, std::string>& options) {
  settings::RawSettings raw;
  for (const auto& [name, text] : options) raw[name] = {text, "option"};
  const settings::CommRequest asked = settings::read_comm(raw);
  for (const auto& problem : asked.problems) ADD_FAILURE() << to_line(problem);
  auto answer = planning::make_collective_plan({.asked = asked,
                                                .device = settings::DeviceKind::kCpu,
                                                .node_of_rank = {0, 0, 0},
                                                .missing_backends = {{"nccl", "no CUDA plugin"}}});
  for (const auto& problem : answer.problems) ADD_FAILURE() << to_line(problem);
  return std::move(answer.plan);
}

// Two sizes on two and on three ranks, three times.
CollectivePlan four_points() {
  return plan_of(
      {{"sizes", "4KiB,8KiB"}, {"backend", "gloo"}, {"world_sizes", "2,3"}, {"repetitions", "3"}});
}

// Says what one point gives on one of its members; may throw.
using Measure = std::function<reporting::CollectiveTimes(int rank, const CollectivePoint& point)>;

reporting::CollectiveTimes measures_well(int /*rank*/, const CollectivePoint& /*point*/) {
  return {.iterations = 10, .calls = 20, .time_s = 1e-3};
}

// The members of a batch wait for each other after each point, over the run's store, as they would
// in a collective; rank 0 says whether they stop.
class MadeUpMember : public CommMember {
 public:
  MadeUpMember(RankLink& ranks, process::TaskLoop& loop, const CollectivePlan& plan,
               const Measure& measure, const std::vector<reporting::RankReadings>& readings,
               std::atomic<int>& batches)
      : ranks_(ranks),
        loop_(loop),
        plan_(plan),
        measure_(measure),
        readings_(readings),
        batches_(batches) {}

  std::optional<int> run(const std::string& name, const CollectiveBatch& batch,
                         const OnRow& on_row) override {
    ++batches_;
    for (const std::size_t index : batch.points) {
      bool again = true;
      for (int attempt = 0; again; ++attempt) {
        const std::string key = name + "/" + std::to_string(index) + "/" + std::to_string(attempt);
        if (const int signal = agreed_signal(key)) return signal;
        again = measure(key, plan_.points[index], batch, on_row);
      }
    }
    return std::nullopt;
  }

  std::vector<communicating::MeasuredPart> run_parts(const planning::PairPlan&,
                                                     const std::vector<double>&) override {
    return {};
  }
  communicating::MeasuredPairs run_pairs(const planning::PairPlan&) override {
    communicating::MeasuredPairs measured;
    if (ranks_.rank() == 0) measured.ends = {{"rank 0"}, {"rank 1"}, {"rank 2"}};
    return measured;
  }

  // A counter of this rank's device, which grows with each snapshot on rank 1.
  std::string read_health() override {
    const std::string device = "cuda:" + std::to_string(ranks_.rank());
    reporting::HealthSnapshot snapshot{.host = "n1", .counters = {}};
    snapshot.counters.push_back({.device = device,
                                 .uuid = {},
                                 .counter = "xid_events",
                                 .value = ranks_.rank() == 1 ? snapshots_++ : 0.0});
    return to_wire(snapshot);
  }

 private:
  // Whether rank 0 wants it once more.
  bool measure(const std::string& key, const CollectivePoint& point, const CollectiveBatch& batch,
               const OnRow& on_row) {
    ranks_.clock().sleep_for(kMeasuring);
    const auto mine = measure_(ranks_.rank(), point);
    ranks_.store().set(key + "/" + std::to_string(ranks_.rank()), std::string("done"));
    for (const int member : batch.members) await(key + "/" + std::to_string(member));
    if (ranks_.rank() == 0) {
      CollectiveOutcome outcome;
      outcome.ranks.assign(batch.members.size(), mine);
      outcome.slowest_s.assign(30, 2e-3);
      outcome.readings = readings_;
      const bool again = on_row(point, "2026-01-02T03:04:05Z", outcome);
      ranks_.store().set(key + "/again", std::string(again ? "1" : "0"));
      return again;
    }
    await(key + "/again");
    return ranks_.store().get_to_str(key + "/again") == "1";
  }

  int agreed_signal(const std::string& key) {
    if (const auto mine = ranks_.received_signal()) {
      distributed::request_stop(ranks_.store(), *mine);
    }
    if (ranks_.rank() == 0) {
      const int signal = loop_.requested_signal().value_or(0);
      ranks_.store().set(key + "/stop", std::to_string(signal));
      return signal;
    }
    await(key + "/stop");
    return std::stoi(ranks_.store().get_to_str(key + "/stop"));
  }

  void await(const std::string& key) {
    for (milliseconds waited{0}; !ranks_.store().check({key}); waited += kMeasuring / 4) {
      if (waited > ranks_.timeout()) throw distributed::peer_lost("a peer is gone", {}, {});
      ranks_.clock().sleep_for(kMeasuring / 4);
    }
  }

  RankLink& ranks_;
  process::TaskLoop& loop_;
  const CollectivePlan& plan_;
  const Measure& measure_;
  const std::vector<reporting::RankReadings>& readings_;
  std::atomic<int>& batches_;
  int snapshots_ = 0;
};

// One run of `comm` in a folder of its own.
class ThreadComm : public ::testing::Test {
 protected:
  ThreadComm() {
    char name[] = "/tmp/scalemark-comm-XXXXXX";
    folder_ = fs::path(mkdtemp(name)) / "out";
  }
  ~ThreadComm() override { fs::remove_all(folder_.parent_path()); }

  void run(const CollectivePlan& plan, const Measure& measure = measures_well) {
    ranks.run([&](RankLink& mine) { return run_rank(mine, plan, measure); });
  }

  reporting::Report report() const {
    auto report = reporting::read_earlier(folder_);
    EXPECT_TRUE(report);
    return report.value_or(reporting::Report{});
  }

  ThreadRanks ranks{kMembers};
  reporting::Report at_end;                       // rank 0 leaves it to its process
  std::vector<reporting::RankReadings> readings;  // every run has these of the machine
  std::string memory_disturbed;                   // empty: nothing disturbed its measurement
  std::vector<std::atomic<int>> batches = std::vector<std::atomic<int>>(kMembers);

 private:
  ExitCode run_rank(RankLink& mine, const CollectivePlan& plan, const Measure& measure) {
    communicating::CommRequest request{.plan = plan, .settings_json = "{}"};
    request.run.settings.command = "comm";
    request.run.settings.general.output = folder_.string();
    request.run.settings.general.quiet = true;
    request.run.world.rank = mine.rank();
    request.run.world.world_size = mine.size();
    const process::PhaseTracker phases(60, {});
    process::FailureReporter failures(request.run, phases);
    process::RunReport opened(request.run,
                              {.hosts = {{.hostname = "n1"}},
                               .continued = {},
                               .settings_json = "{}",
                               .session = {},
                               .folder = {},
                               .tool = reporting::this_tool(),
                               .device_uuid = {}},
                              failures);
    try {
      process::TaskLoop loop(mine);
      MadeUpMember member(mine, loop, request.plan, measure, readings,
                          batches[static_cast<std::size_t>(mine.rank())]);
      communicating::CommReport report(request.plan,
                                       {.hosts = {{.hostname = "n1"}},
                                        .node_of_rank = {0, 0, 0},
                                        .memory_GBps = 10,
                                        .memory_disturbed = memory_disturbed},
                                       opened);
      if (mine.rank() == 0) {
        communicating::CommCoordinator coordinator(loop, request, member, report);
        const ExitCode code = loop.lead(coordinator);
        at_end = report.report();
        return code;
      }
      communicating::CommFollower follower(mine, request.plan, member);
      return loop.follow(follower);
    } catch (...) {
      if (ranks.is_killed(mine.rank())) throw;
      const ErrorRecord record = process::record_of(std::current_exception(), nullptr);
      failures.report(record);
      throw Error(record);
    }
  }

  fs::path folder_;
};

TEST_F(ThreadComm, EachBlockHoldsEachPointOnceInAnOrderOfItsOwn) {
  run(four_points());
  for (int rank = 0; rank < kMembers; ++rank) EXPECT_EQ(ranks.end(rank).code, ExitCode::kPass);
  const auto found = report();
  EXPECT_EQ(found.status, reporting::ReportStatus::kComplete);
  ASSERT_EQ(found.collectives.size(), 12u);
  std::set<std::string> ids;
  for (int block = 0; block < 3; ++block) {
    std::vector<int> orders;
    for (const auto& row : found.collectives) {
      if (row.repetition != block) continue;
      ids.insert(row.id);
      orders.push_back(row.order);
    }
    std::ranges::sort(orders);
    EXPECT_EQ(orders, (std::vector<int>{0, 1, 2, 3})) << block;
  }
  EXPECT_EQ(ids.size(), 12u);
  EXPECT_EQ(found.collective_groups.size(), 4u);
  for (const auto& group : found.collective_groups) EXPECT_EQ(group.n, 3) << group.group;
}

// "237 % of expected" is what a bound gives that was measured under load.
TEST_F(ThreadComm, ABoundThatWasMeasuredBesideOthersJudgesNothingAndIsReported) {
  memory_disturbed = "shared: n1: other processes used 1.40 CPUs (limit 0.32)";
  run(four_points());
  const auto found = report();
  for (const auto& group : found.collective_groups) {
    EXPECT_FALSE(group.expected_share.value) << group.group;
  }
  const auto disturbance =
      std::ranges::find(found.findings, "bound_disturbed", &reporting::Finding::code);
  ASSERT_NE(disturbance, found.findings.end());
  EXPECT_NE(disturbance->text.find("memory of 10 GB/s"), std::string::npos) << disturbance->text;
  EXPECT_NE(disturbance->text.find("1.40 CPUs"), std::string::npos) << disturbance->text;
}

// Nobody was seen in a tenth of a second, in which clocks of 10 ms let 0.5 CPUs pass.
TEST_F(ThreadComm, ARunThatIsTooBriefToTellWhoElseWasThereCountsTowardsNoVerdict) {
  readings = {
      {.host = "n1",
       .machine = "m1",
       .sources = {{.source = monitoring::kBusyCpus, .n = 2, .mean = 0, .observed_s = 0.1}}}};
  run(four_points());
  const auto found = report();
  ASSERT_EQ(found.collectives.size(), 12u);
  for (const auto& row : found.collectives) {
    EXPECT_TRUE(row.disturbed.starts_with("others_unknown: n1: ")) << row.disturbed;
    EXPECT_FALSE(row.attempts) << "a second one would be as brief";
  }
  const auto disturbance =
      std::ranges::find(found.findings, "others_unknown", &reporting::Finding::code);
  ASSERT_NE(disturbance, found.findings.end());
  EXPECT_TRUE(disturbance->text.starts_with("12 of 12 runs")) << disturbance->text;
  EXPECT_EQ(std::ranges::count(found.findings, disturbance->code, &reporting::Finding::code), 1);
  const auto verdict = reporting::judged(found);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->level, reporting::VerdictLevel::kWithCare);
  EXPECT_TRUE(std::ranges::any_of(verdict->reasons,
                                  [](const auto& why) { return why.code == "others_unknown"; }));
}

TEST_F(ThreadComm, ARankThatIsNoMemberTakesNoPart) {
  run(four_points());
  EXPECT_EQ(batches[0], 6) << "two batches in each of three blocks";
  EXPECT_EQ(batches[1], 6);
  EXPECT_EQ(batches[2], 3) << "those of three ranks";
}

TEST_F(ThreadComm, CountersAreReadBeforeAndAfter) {
  auto plan = plan_of({{"sizes", "4KiB"}, {"backend", "gloo"}, {"checks", "health"}});
  run(plan);
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPass);
  const auto found = report();
  ASSERT_EQ(found.health.size(), 3u);
  for (const auto& row : found.health) {
    EXPECT_EQ(row.before, 0);
    EXPECT_EQ(row.after, row.device == "cuda:1" ? 1 : 0) << row.device;
    EXPECT_GT(row.seconds, 0);
  }
  const auto finding = std::ranges::find(found.findings, "health", &reporting::Finding::code);
  ASSERT_NE(finding, found.findings.end());
  EXPECT_EQ(finding->text, "cuda:1 of n1: Xid (1 event)");
}

TEST_F(ThreadComm, WhatCannotRunIsARowAndTheRestStillRuns) {
  run(plan_of({{"sizes", "4KiB"}, {"backend", "nccl,gloo"}, {"repetitions", "1"}}));
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPass);
  const auto found = report();
  ASSERT_EQ(found.collectives.size(), 2u);
  for (const auto& row : found.collectives) {
    const bool can = row.backend == "gloo";
    EXPECT_EQ(row.status, can ? reporting::PointStatus::kOk : reporting::PointStatus::kSkipped);
    EXPECT_EQ(row.reason.empty(), can);
  }
}

TEST_F(ThreadComm, WrongElementsEndItWithTheirCodeAndAllRows) {
  run(four_points(), [](int rank, const CollectivePoint& point) {
    auto times = measures_well(rank, point);
    if (point.world_size == 3 && rank == 0) times.wrong = 7;
    return times;
  });
  for (int rank = 0; rank < kMembers; ++rank) {
    EXPECT_EQ(ranks.end(rank).code, ExitCode::kSilentCorruption) << rank;
  }
  const auto found = report();
  EXPECT_EQ(found.collectives.size(), 12u);
  EXPECT_TRUE(std::ranges::any_of(found.collectives, [](const auto& row) {
    return row.status == reporting::PointStatus::kFailed && row.wrong.value_or(0) > 0;
  }));
}

// A quota holds all runs back. A repeat of one with wrong elements would hide them.
TEST_F(ThreadComm, ADisturbedRunIsMeasuredAgainUnlessItHasFailed) {
  readings = {{.host = "n1",
               .machine = "m1",
               .sources = {{.source = monitoring::kThrottledCpus, .n = 2, .mean = 0.5}}}};
  std::atomic<int> good{0}, wrong{0};
  run(four_points(), [&](int rank, const CollectivePoint& point) {
    auto times = measures_well(rank, point);
    if (point.world_size == 3 && rank == 0) times.wrong = 7;
    if (rank == 0) ++(times.wrong > 0 ? wrong : good);
    return times;
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kSilentCorruption);
  EXPECT_EQ(wrong, 6) << "two sizes in three blocks, each once";
  EXPECT_GT(good, 6);
  for (const auto& row : report().collectives) {
    const bool has_failed = row.status == reporting::PointStatus::kFailed;
    EXPECT_TRUE(!has_failed || !row.attempts) << row.id;
  }
}

// Whichever rank gets it, in the batch or waiting beside it.
class Interrupted : public ThreadComm, public ::testing::WithParamInterface<int> {};

TEST_P(Interrupted, ASignalEndsAllBetweenTwoRunsAndKeepsTheirRows) {
  std::atomic<int> runs{0};
  run(four_points(), [&](int rank, const CollectivePoint& point) {
    if (rank == 0 && ++runs == 5) ranks.send_signal(GetParam(), SIGTERM);
    return measures_well(rank, point);
  });
  for (int rank = 0; rank < kMembers; ++rank) {
    ASSERT_TRUE(ranks.end(rank).stop) << rank;
    EXPECT_EQ(ranks.end(rank).stop->signal, SIGTERM);
    EXPECT_EQ(ranks.end(rank).code, ExitCode::kPreempted);
  }
  const auto found = report();
  EXPECT_GE(found.collectives.size(), 5u);
  EXPECT_LT(found.collectives.size(), 12u);
  int summarised = 0;
  for (const auto& group : at_end.collective_groups) summarised += group.n;
  EXPECT_EQ(summarised, static_cast<int>(found.collectives.size())) << "what follows from them";
}

INSTANTIATE_TEST_SUITE_P(Ranks, Interrupted, ::testing::Values(0, 1, 2));

TEST_F(ThreadComm, AKilledRankEndsTheOthersAndTheRowsBeforeStay) {
  std::atomic<int> runs{0};
  run(four_points(), [&](int rank, const CollectivePoint& point) {
    if (rank == 0) ++runs;
    if (rank == 1 && runs >= 4) ranks.kill(1);
    return measures_well(rank, point);
  });
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPeerLost) << ranks.end(0).error.what;
  EXPECT_EQ(ranks.end(2).code, ExitCode::kPeerLost) << ranks.end(2).error.what;
  const auto found = report();
  EXPECT_EQ(found.status, reporting::ReportStatus::kFailed);
  EXPECT_GE(found.collectives.size(), 3u);
  EXPECT_LT(found.collectives.size(), 12u);
}

}  // namespace
}  // namespace scalemark::testing
