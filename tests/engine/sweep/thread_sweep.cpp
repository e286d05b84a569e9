#include "tests/engine/sweep/thread_sweep.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>
#include <utility>

#include "core/base/wire.h"
#include "engine/process/data_phase.h"
#include "engine/process/failure_reporter.h"
#include "engine/process/machines.h"
#include "engine/sweep/sweep_coordinator.h"
#include "report/judge/point/rank_steps.h"
#include "report/keep/earlier.h"
#include "report/record/health_figures.h"
#include "report/record/rank_fields.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"

namespace scalemark::testing {
namespace {

namespace fs = std::filesystem;

using planning::Task;
using process::RankLink;
using process::TaskLoop;
using std::chrono::milliseconds;
using sweeping::RankResult;
using sweeping::TaskOutcome;

constexpr milliseconds kTraining{2'000};

class Member : public sweeping::SweepMember {
 public:
  Member(RankLink& ranks, const planning::Plan& plan, const Training& training,
         const std::function<bool(std::int64_t)>& data_holds, SweepCounts& counts)
      : SweepMember(ranks),
        ranks_(ranks),
        plan_(plan),
        training_(training),
        data_holds_(data_holds),
        counts_(counts) {}

  bool data_holds_batch(const Task& task) const override {
    return data_holds_(planning::settings_of(plan_, task).size.batch_size);
  }
  std::string read_machine() override { return to_wire(reporting::RankReadings{}); }
  // A counter of this rank's device, which grows with each snapshot on rank 1.
  std::string read_health() override {
    const std::string device = "cuda:" + std::to_string(ranks_.rank());
    reporting::HealthSnapshot snapshot{.host = "n1", .counters = {}};
    snapshot.counters.push_back({.device = device,
                                 .uuid = {},
                                 .counter = "ue_count",
                                 .value = ranks_.rank() == 1 ? snapshots_++ : 0.0});
    return to_wire(snapshot);
  }
  // A device that is asked answers with one record, whose value is its rank; no node has peers.
  std::string fingerprint(const sweeping::SweepCommand& command) override {
    sweeping::FingerprintAnswer answer;
    const bool of_node = command.fingerprint == sweeping::FingerprintPart::kNode;
    if (!of_node && command.only_rank.value_or(ranks_.rank()) == ranks_.rank()) {
      answer.records.emplace_back().rank = ranks_.rank();
    }
    return to_wire(answer);
  }

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
  void drop() noexcept override { ++counts_.dropped; }
  void give_back() override { ++counts_.given_back; }

 private:
  static void measure(const std::vector<int>& members, running::PointOutcome& measured) {
    measured.ranks = reporting::sample_measurements(static_cast<int>(members.size()));
    for (std::size_t i = 0; i < measured.ranks.size(); ++i) {
      const reporting::StepSeries its = reporting::condense(measured.ranks[i]);
      if (i == 0) measured.series = its;
      reporting::take_largest(measured.series, its);
      measured.ranks[i].record.rank = members[i];
    }
  }

  RankLink& ranks_;
  const planning::Plan& plan_;
  const Training& training_;
  const std::function<bool(std::int64_t)>& data_holds_;
  SweepCounts& counts_;
  int snapshots_ = 0;
};

}  // namespace

ThreadSweep::ThreadSweep(planning::Plan plan) : plan_(std::move(plan)) {
  char name[] = "/tmp/scalemark-sweep-XXXXXX";
  folder_ = fs::path(mkdtemp(name)) / "out";
  plan_.fingerprint_s = 0;
}

ThreadSweep::~ThreadSweep() { fs::remove_all(folder_.parent_path()); }

void ThreadSweep::run(ThreadRanks& ranks, const Training& training) {
  ranks.run([&](RankLink& mine) { return run_rank(ranks, mine, training); });
}

void ThreadSweep::resume(const Training& training) {
  ThreadRanks ranks(kRanks);
  plan_.sweep.resume = true;
  run(ranks, training);
  EXPECT_EQ(ranks.end(0).code, ExitCode::kPass) << ranks.end(0).error.what;
}

reporting::Report ThreadSweep::report() const {
  auto report = reporting::read_earlier(folder_);
  EXPECT_TRUE(report);
  return report.value_or(reporting::Report{});
}

void ThreadSweep::write(const reporting::Report& report) const {
  std::ofstream(folder_ / "report.json") << reporting::to_json(report);
}

ExitCode ThreadSweep::run_rank(ThreadRanks& all, RankLink& ranks, const Training& training) {
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
    Member member(ranks, plan_, training, data_holds, counts);
    sweeping::SweepReport report(
        {.request = request,
         .hosts = {{.hostname = "n1", .cpu = "6502"}},
         .tool = reporting::this_tool(),
         .open = [&](process::RunReport::Opening opening) -> process::RunReport& {
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
  } catch (...) {  // the report is still attached, as in RankProcess
    // A killed process writes nothing.
    if (all.is_killed(ranks.rank())) throw;
    const ErrorRecord record = process::record_of(std::current_exception(), nullptr);
    failures.report(record);
    throw Error(record);
  }
}

}  // namespace scalemark::testing
