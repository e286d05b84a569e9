#include "core/reporting/record/verdict.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/sweep/end.h"
#include "tests/core/reporting/sample_collectives.h"
#include "tests/core/reporting/sample_sweep.h"

namespace scalemark::reporting {
namespace {

Report healthy_sweep(int repetitions = 5) {
  return sample_sweep({.world_sizes = {1, 2, 4},
                       .batch_sizes = {64},
                       .repetitions = repetitions,
                       .run_noise = 0.0005,
                       .slow_rank = std::nullopt,
                       .real_data = false});
}

VerdictLevel level_of(const Report& report) { return judged(report).value().level; }

std::vector<std::string> codes_of(const Report& report) {
  std::vector<std::string> codes;
  const Verdict verdict = judged(report).value();
  for (const auto& reason : verdict.reasons) codes.push_back(reason.code);
  return codes;
}

void add(Report& report, const FindingKind& kind, const std::string& point = "",
         const std::string& text = "seen") {
  report.findings.push_back(make_finding(kind, point, text));
}

std::vector<std::string> ids_of(const Report& report) {
  std::vector<std::string> ids;
  for (const PointRecord& run : report.points) {
    if (run.status == PointStatus::kOk) ids.push_back(run.id);
  }
  return ids;
}

TEST(Verdict, AQuietRepeatedSweepIsQuotable) {
  Report report = healthy_sweep();
  report.findings.clear();
  EXPECT_EQ(level_of(report), VerdictLevel::kQuotable);
  EXPECT_TRUE(judged(report)->reasons.empty());
}

TEST(Verdict, ASingleRunIsAtBestWithCareAndSaidOnce) {
  Report report = healthy_sweep(1);
  EXPECT_EQ(level_of(report), VerdictLevel::kWithCare);
  report.findings.clear();
  add(report, finding_kinds::no_interval);
  for (const auto& id : ids_of(report)) add(report, finding_kinds::single_repetition, id);
  EXPECT_EQ(codes_of(report), std::vector<std::string>{"no_interval"});
}

TEST(Verdict, EveryRunDisturbedIsNotToBeQuoted) {
  Report report = healthy_sweep();
  report.findings.clear();
  for (const auto& id : ids_of(report)) {
    add(report, finding_kinds::shared, id, "n1: other processes used 1.25 CPUs (limit 0.10)");
    monitoring::SourceSummary used{.source = "other_cpus"};
    used.mean = 1.25;
    report.telemetry.push_back({id, report.environment.hosts.front().hostname, used});
  }
  const Verdict verdict = judged(report).value();
  EXPECT_EQ(verdict.level, VerdictLevel::kDoNotQuote);
  ASSERT_EQ(verdict.reasons.size(), 1u);
  const int cpus = report.environment.hosts.front().cores.logical;
  EXPECT_EQ(verdict.reasons[0].text, "other programs used 1.2 of " + std::to_string(cpus) +
                                         " CPUs in all " + std::to_string(ids_of(report).size()) +
                                         " runs");
}

// A second process on the GPU is no use of CPUs, of which others always have a little.
TEST(Verdict, SaysWhatShares) {
  Report report = healthy_sweep();
  report.findings.clear();
  for (const auto& id : ids_of(report)) {
    add(report, finding_kinds::shared, id, "cuda:0 of n1: 1 other process on the GPU");
    monitoring::SourceSummary used{.source = "other_cpus"};
    used.mean = 0.02;
    report.telemetry.push_back({id, report.environment.hosts.front().hostname, used});
  }
  EXPECT_TRUE(judged(report)->reasons.at(0).text.starts_with(
      "cuda:0 of n1: 1 other process on the GPU in all"));
}

// Fit runs speak for a disturbed one, and not for one whose numbers are wrong.
TEST(Verdict, ClocksThatDisagreeAreNeverSpared) {
  for (const auto* kind : {&finding_kinds::clocks_disagree}) {
    Report report = healthy_sweep();
    report.findings.clear();
    add(report, *kind, ids_of(report).front());
    EXPECT_EQ(level_of(report), VerdictLevel::kDoNotQuote) << kind->code;
    EXPECT_TRUE(disturbed_runs(report.findings).contains(ids_of(report).front())) << kind->code;
  }
}

// Three of each point are left, which verdicts are taken from.
TEST(Verdict, SomeDisturbedRunsCostLessWhereOthersSpeakForThePoint) {
  Report report = healthy_sweep();
  report.findings.clear();
  add(report, finding_kinds::shared, ids_of(report).front());
  EXPECT_EQ(level_of(report), VerdictLevel::kWithCare);
  Report few = healthy_sweep(3);
  few.findings.clear();
  add(few, finding_kinds::shared, ids_of(few).front());
  EXPECT_EQ(level_of(few), VerdictLevel::kDoNotQuote);
}

TEST(Verdict, TheGravestReasonsComeFirstAndThreeAtMost) {
  Report report = healthy_sweep();
  report.findings.clear();
  add(report, finding_kinds::drift);
  add(report, finding_kinds::baseline_missing);
  add(report, finding_kinds::straggler, "", "rank 3 (n7) needs 28.0 % more time of its own");
  add(report, finding_kinds::mfu_implausible, ids_of(report).front());
  add(report, finding_kinds::runs_correlated);
  const auto codes = codes_of(report);
  ASSERT_EQ(codes.size(), 3u);
  EXPECT_EQ(codes[0], "mfu_implausible");
  EXPECT_EQ(codes[1], "straggler");
}

TEST(Verdict, ARunThatDidNotComeToItsEndSaysSo) {
  Report report = healthy_sweep();
  report.findings.clear();
  report.status = ReportStatus::kInterrupted;
  EXPECT_EQ(codes_of(report), std::vector<std::string>{"incomplete"});
  report.status = ReportStatus::kComplete;
  report.points.front().status = PointStatus::kFailed;
  EXPECT_EQ(codes_of(report), std::vector<std::string>{"incomplete"});
  for (PointRecord& run : report.points) run.status = PointStatus::kFailed;
  EXPECT_EQ(codes_of(report), std::vector<std::string>{"nothing_measured"});
  EXPECT_EQ(level_of(report), VerdictLevel::kDoNotQuote);
}

TEST(Verdict, OfCollectivesCountsTheirDisturbedRuns) {
  Report report = sample_collectives();
  report.findings.clear();
  EXPECT_EQ(level_of(report), VerdictLevel::kQuotable);
  EXPECT_EQ(level_of(sample_collectives({.repetitions = 1})), VerdictLevel::kWithCare);
  for (CollectiveRecord& run : report.collectives) run.disturbed = "shared: by a compiler";
  add(report, finding_kinds::shared);
  EXPECT_EQ(level_of(report), VerdictLevel::kDoNotQuote);
}

TEST(Verdict, AReportWithoutRunsHasNone) { EXPECT_FALSE(judged(Report())); }

TEST(Verdict, IsWrittenReadAndComputedForOlderReports) {
  Report report = healthy_sweep(1);
  report.verdict = judged(report);
  const Report read = report_from_json(to_json(report), "it");
  ASSERT_TRUE(read.verdict);
  EXPECT_EQ(read.verdict->level, VerdictLevel::kWithCare);
  EXPECT_EQ(read.verdict->reasons.size(), report.verdict->reasons.size());
  Report older = report;
  older.verdict.reset();
  for (Finding& finding : older.findings) finding.domain.clear();
  complete_older(older);
  EXPECT_EQ(older.verdict->level, VerdictLevel::kWithCare);
  for (const Finding& finding : older.findings) EXPECT_FALSE(finding.domain.empty());
}

// An older version wrote 100 % for a point against itself.
TEST(Verdict, OlderReportsLoseTheEfficiencyOfABaseline) {
  Report older = healthy_sweep();
  ScalingTable& table = older.scaling.front();
  const auto row = std::ranges::find(table.rows, table.baseline_points, &ScalingRow::points);
  ASSERT_NE(row, table.rows.end());
  row->efficiency = row->speedup = 1;
  complete_older(older);
  EXPECT_FALSE(row->efficiency);
  EXPECT_FALSE(row->speedup);
}

bool fails(const Finding& finding, const char* words) { return FailOn(words).names(finding); }

TEST(FailOn, NamesSeveritiesPartsAndCodes) {
  const Finding slow = make_finding(finding_kinds::straggler, "", "");
  const Finding wrong = make_finding(finding_kinds::wrong_elements, "", "");
  const Finding noise = make_finding(finding_kinds::shared, "", "");
  const Finding remark = make_finding(finding_kinds::short_window, "", "");
  EXPECT_FALSE(fails(slow, "error"));
  EXPECT_TRUE(fails(slow, "parts") && fails(slow, "warning") && fails(slow, "straggler"));
  EXPECT_TRUE(fails(wrong, "error") && fails(wrong, "parts") && fails(wrong, "warning"));
  EXPECT_TRUE(fails(noise, "drift,shared") && !fails(noise, "parts"));
  EXPECT_FALSE(fails(remark, "warning") || fails(remark, "parts") || fails(wrong, "none"));
  EXPECT_THROW(FailOn("stragler"), Error);
  EXPECT_THROW(FailOn(""), Error);
}

TEST(FailOn, EndsWithOneBeforeTwoAndLeavesEveryOtherCode) {
  Report report;
  add(report, finding_kinds::slow_link, "", "the link from a to b is slow");
  const FailOn parts("parts");
  const auto code = [&](ExitCode own) {
    return judged_end({.exit_code = own, .why = "its own"}, report, parts);
  };
  EXPECT_EQ(code(ExitCode::kPass).exit_code, ExitCode::kFail);
  EXPECT_EQ(code(ExitCode::kUnsure).exit_code, ExitCode::kFail);
  EXPECT_NE(code(ExitCode::kPass).why.find("the link from a to b is slow"), std::string::npos);
  EXPECT_EQ(code(ExitCode::kSilentCorruption).exit_code, ExitCode::kSilentCorruption);
  EXPECT_EQ(code(ExitCode::kSilentCorruption).why, "its own");
  EXPECT_EQ(judged_end({}, report, FailOn("error")).exit_code, ExitCode::kPass);
}

}  // namespace
}  // namespace scalemark::reporting
