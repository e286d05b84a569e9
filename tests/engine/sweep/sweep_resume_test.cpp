// A sweep may continue with what is in its folder, or refuses: tested with ranks that are threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "core/base/error.h"
#include "tests/core/plan/plans.h"
#include "tests/engine/sweep/thread_sweep.h"

namespace scalemark::testing {
namespace {

namespace fs = std::filesystem;

using planning::Task;
using reporting::Report;
using sweeping::RankResult;

planning::Plan plan_of(const char* batch_sizes, const char* iters = "4",
                       const char* repetitions = "1") {
  return planning::plan({{"workload", "mlp"},
                         {"world_sizes", "1"},
                         {"batch_size", batch_sizes},
                         {"iters", iters},
                         {"warmup_iters", "1"},
                         {"repetitions", repetitions}},
                        kThreeOnOneNode);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::set<std::string> rows_of(const Report& report) {
  std::set<std::string> ids;
  for (const auto& row : report.points) ids.insert(row.id);
  return ids;
}

class SweepResume : public ::testing::Test {
 protected:
  SweepResume() : sweep_(plan_of("8,16")) {
    ThreadRanks ranks(ThreadSweep::kRanks);
    sweep_.run(ranks, trains_well);
  }

  void edit(const std::function<void(Report&)>& change) {
    Report report = sweep_.report();
    change(report);
    sweep_.write(report);
  }

  // Refused, and the report stays as it was.
  void expect_refused(const std::string& quoted) {
    const std::string before = text_of(sweep_.folder() / "report.json");
    sweep_.plan().sweep.resume = true;
    ThreadRanks ranks(ThreadSweep::kRanks);
    sweep_.run(ranks, trains_well);
    EXPECT_EQ(ranks.end(0).code, ExitCode::kConfiguration);
    EXPECT_NE(ranks.end(0).error.what.find(quoted), std::string::npos) << ranks.end(0).error.what;
    EXPECT_NE(ranks.end(0).error.hint.find("--resume-anyway"), std::string::npos);
    EXPECT_EQ(text_of(sweep_.folder() / "report.json"), before);
  }

  // --resume-anyway continues, and its session says with what.
  void expect_continued_anyway(const std::string& quoted) {
    const auto rows = rows_of(sweep_.report());
    sweep_.plan().sweep.resume_anyway = true;
    sweep_.resume(trains_well);
    const Report report = sweep_.report();
    ASSERT_EQ(report.sessions.size(), 2u);
    EXPECT_NE(report.sessions[1].broke_with.find(quoted), std::string::npos)
        << report.sessions[1].broke_with;
    EXPECT_EQ(rows_of(report), rows);
  }

  ThreadSweep sweep_;
};

// --checks devices: every rank in each session, and none twice.
TEST_F(SweepResume, ChecksEachDeviceInEachSession) {
  sweep_.plan() = plan_of("8,16", "4", "2");
  sweep_.plan().fingerprint_s = 0;
  sweep_.plan().device_check_s = 0.1;
  sweep_.plan().sweep.resume = true;
  sweep_.resume(trains_well);
  std::vector<std::pair<int, int>> measured;
  for (const auto& record : sweep_.report().fingerprint) {
    measured.emplace_back(record.session.value_or(0), record.rank.value_or(-1));
  }
  EXPECT_EQ(measured, (std::vector<std::pair<int, int>>{{1, 0}, {1, 1}, {1, 2}}));
}

// --checks health: rows of an earlier session stay.
TEST_F(SweepResume, ReadsCountersBeforeAndAfterEachSession) {
  for (const char* repetitions : {"2", "3"}) {
    sweep_.plan() = plan_of("8,16", "4", repetitions);
    sweep_.plan().fingerprint_s = 0;
    sweep_.plan().sweep.checks = "health";
    sweep_.plan().sweep.resume_anyway = true;
    sweep_.resume(trains_well);
  }
  const Report report = sweep_.report();
  std::vector<std::pair<int, std::string>> grown;
  for (const auto& row : report.health) {
    EXPECT_EQ(row.before, 0);
    ASSERT_TRUE(row.after) << row.device;
    if (*row.after > 0) grown.emplace_back(row.session, row.device);
  }
  EXPECT_EQ(report.health.size(), 6u);
  EXPECT_EQ(grown, (std::vector<std::pair<int, std::string>>{{1, "cuda:1"}, {2, "cuda:1"}}));
  EXPECT_EQ(std::ranges::count(report.findings, "health", &reporting::Finding::code), 2);
}

TEST_F(SweepResume, RefusesOtherSettings) {
  sweep_.plan() = plan_of("8,16", "6");
  sweep_.plan().fingerprint_s = 0;
  expect_refused("iters was 4, now 6");
  sweep_.plan() = plan_of("8,16,32");
  sweep_.plan().fingerprint_s = 0;
  expect_refused("batch_size");
}

TEST_F(SweepResume, RefusesAnotherProgramUnlessAskedTo) {
  edit([](Report& report) { report.tool.git_commit = "deadbeef"; });
  expect_refused("the program's commit was deadbeef");
  expect_continued_anyway("the program's commit was deadbeef");
}

TEST_F(SweepResume, RefusesAnotherMachineUnlessAskedTo) {
  edit([](Report& report) { report.environment.hosts[0].cpu = "Z80"; });
  expect_refused("the machine was Z80, no GPU");
  expect_continued_anyway("the machine was Z80");
}

TEST_F(SweepResume, ContinuesWithAnotherHostOfTheSameKind) {
  edit([](Report& report) { report.environment.hosts[0].hostname = "elsewhere"; });
  sweep_.resume(trains_well);
  EXPECT_TRUE(sweep_.report().sessions.at(1).broke_with.empty());
}

// Rows of points that are no longer asked for stay, and stop nothing.
TEST_F(SweepResume, KeepsRowsOfPointsThatAreNotAskedForAnyMore) {
  const auto rows = rows_of(sweep_.report());
  sweep_.plan() = plan_of("8", "4", "2");
  sweep_.plan().fingerprint_s = 0;
  sweep_.plan().sweep.resume_anyway = true;
  sweep_.resume(trains_well);
  const auto found = rows_of(sweep_.report());
  EXPECT_EQ(found.size(), rows.size() + 1);
  EXPECT_TRUE(std::ranges::includes(found, rows));
  std::multiset<std::string> reasons;
  for (const auto& group : sweep_.report().groups) reasons.insert(group.stop_reason);
  EXPECT_EQ(reasons, (std::multiset<std::string>{"", "repetitions"}));
}

// A kill in the middle of a line: it continues from there as often as one likes.
TEST_F(SweepResume, ContinuesWithATornJournal) {
  const fs::path journal = sweep_.folder() / "journal.jsonl";
  const std::string whole = text_of(journal);
  std::ofstream(journal, std::ios::app) << R"({"time":"2026-01-02T03:04:05Z","event":"point","poi)";
  for (int again = 0; again < 2; ++again) sweep_.resume(trains_well);
  const std::string lines = text_of(journal);
  EXPECT_TRUE(lines.starts_with(whole));
  EXPECT_EQ(lines.find("\"poi\n"), std::string::npos);
  EXPECT_EQ(lines.find("\"poi{"), std::string::npos);
}

TEST_F(SweepResume, NeverBeginsAnewOverADamagedReport) {
  const fs::path file = sweep_.folder() / "report.json";
  const std::string half = text_of(file).substr(0, 500);
  std::ofstream(file, std::ios::trunc) << half;
  sweep_.plan().sweep.resume = true;
  ThreadRanks ranks(ThreadSweep::kRanks);
  sweep_.run(ranks, trains_well);
  EXPECT_EQ(ranks.end(0).code, ExitCode::kBadData);
  EXPECT_NE(ranks.end(0).error.what.find(file.string()), std::string::npos)
      << ranks.end(0).error.what;
  EXPECT_EQ(text_of(file), half);
}

TEST(SweepResumeWithoutAReport, BeginsInAFolderThatIsNotThere) {
  ThreadSweep sweep(plan_of("8,16"));
  sweep.resume(trains_well);
  EXPECT_EQ(sweep.report().sessions.size(), 1u);
  EXPECT_EQ(sweep.report().points.size(), 2u);
}

// Killed between the journal's first line and report.json: the command of the batch script resumes.
TEST(SweepResumeWithoutAReport, BeginsWhereOneWasKilledAsItBegan) {
  ThreadSweep sweep(plan_of("8,16"));
  fs::create_directories(sweep.folder());
  std::ofstream(sweep.folder() / "journal.jsonl")
      << R"({"time":"2026-01-02T03:04:05Z","event":"started"})"
      << "\n";
  std::ofstream(sweep.folder() / ".reserve") << std::string(1000, '\0');
  ThreadRanks refused(ThreadSweep::kRanks);
  sweep.run(refused, trains_well);
  EXPECT_EQ(refused.end(0).code, ExitCode::kCannotCreateOutput);
  sweep.resume(trains_well);
  EXPECT_EQ(sweep.report().points.size(), 2u);
}

}  // namespace
}  // namespace scalemark::testing
