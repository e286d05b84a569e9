#include "report/record/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/base/error.h"
#include "report/judge/collectives/runs.h"
#include "report/judge/judge.h"
#include "report/judge/point/disturbances.h"
#include "report/judge/sweep/summary.h"
#include "report/record/finding_kinds.h"
#include "report/record/point_facts.h"
#include "report/record/report_json.h"
#include "report/record/runs.h"
#include "report/record/surety.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

// Long windows that are known to be steady, and nothing else to doubt.
Report healthy_sweep(int repetitions = 5) {
  Report report = sample_sweep({.world_sizes = {1, 2, 4},
                                .batch_sizes = {64},
                                .repetitions = repetitions,
                                .run_noise = 0.0005,
                                .slow_rank = std::nullopt,
                                .real_data = false});
  for (PointRecord& run : report.points) {
    run.steady = true;
    run.iterations = std::max<std::int64_t>(run.iterations, kEnoughSteps);
    run.wall_s = std::max(run.wall_s, kEnoughSeconds);
  }
  for (GroupRecord& group : report.groups) {
    group.steady = true;
    group.bias_bound.reset();
  }
  return report;
}

VerdictLevel level_of(const Report& report) { return judged(report).value().level; }

std::vector<std::string> codes_of(const Report& report) {
  std::vector<std::string> codes;
  const Verdict verdict = judged(report).value();
  for (const auto& reason : verdict.reasons) codes.push_back(reason.code);
  return codes;
}

void add(Report& report, const FindingKind& kind, const std::string& point = "",
         const AllNamed& values = {}) {
  report.findings.push_back(make_finding(kind, point, values));
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

TEST(Verdict, AsksForMoreRunsThanWereMade) {
  constexpr std::string_view kRepeat = finding_kinds::no_interval.remedy;
  const std::pair<int, const char*> kAsked[] = {{1, "5"}, {4, "5"}, {5, "10"}, {12, "24"}};
  for (const FindingKind& kind : all_finding_kinds()) {
    if (kind.remedy != kRepeat || kind.costs == VerdictLevel::kQuotable) continue;
    for (const auto& [made, asked] : kAsked) {
      Report report = healthy_sweep(made);
      report.findings.clear();
      report.invocation.command_line = "scalemark sweep --repetitions " + std::to_string(made);
      add(report, kind, ids_of(report).front());
      judge(report);
      const std::string option = "--repetitions " + std::string(asked);
      ASSERT_FALSE(report.verdict->reasons.empty()) << kind.code;
      EXPECT_EQ(report.verdict->reasons.front().remedy, "more runs: " + option) << kind.code;
      EXPECT_EQ(next_command(report).command, "scalemark sweep " + option) << kind.code;
    }
  }
}

TEST(Verdict, EveryRunDisturbedIsNotToBeQuoted) {
  Report report = healthy_sweep();
  report.findings.clear();
  for (const auto& id : ids_of(report)) {
    const double others = id == ids_of(report).front() ? 0.95 : 1.24;
    add(report, finding_kinds::shared, id,
        {{"where", "n1"}, {"others", others}, {"limit", 0.1}, {"cpus", 2}});
  }
  const Verdict verdict = judged(report).value();
  EXPECT_EQ(verdict.level, VerdictLevel::kDoNotQuote);
  ASSERT_EQ(verdict.reasons.size(), 1u);
  EXPECT_EQ(verdict.reasons[0].text, "other programs used 0.9 to 1.2 of 2 CPUs in all " +
                                         std::to_string(ids_of(report).size()) + " runs");
  EXPECT_EQ(verdict.reasons[0].remedy, "stop them");
}

// A report of before has texts and telemetry only.
TEST(Verdict, OlderFindingsGetTheirNumbersFromTelemetry) {
  Report report = healthy_sweep();
  report.findings.clear();
  const std::string id = ids_of(report).front();
  const std::string text = "n1: other processes used 1.25 CPUs (limit 0.10)";
  report.findings.push_back({finding_kinds::shared.code, "warning", id, text});
  EXPECT_TRUE(judged(report)->reasons.at(0).text.starts_with(text + " in 1 of "));
  monitoring::SourceSummary used{.source = "other_cpus"};
  used.mean = 1.25;
  used.observed_s = 100;
  report.environment.hosts.front().cores.logical = 2;
  report.telemetry.push_back({id, report.environment.hosts.front().hostname, used});
  complete_values(report);
  complete_older(report);
  EXPECT_EQ(report.findings.front().text, text);
  EXPECT_TRUE(
      report.verdict->reasons.at(0).text.starts_with("other programs used 1.2 of 2 CPUs in "))
      << report.verdict->reasons.at(0).text;
}

// A second process on the GPU is no use of CPUs, of which others always have a little.
TEST(Verdict, SaysWhatShares) {
  Report report = healthy_sweep();
  report.findings.clear();
  for (const auto& id : ids_of(report)) {
    add(report, finding_kinds::shared, id, {{"where", "cuda:0 of n1"}, {"processes", 1}});
  }
  EXPECT_TRUE(judged(report)->reasons.at(0).text.starts_with(
      "cuda:0 of n1: 1 other process on the GPU in all"));
}

// A quota can be lifted; hot hardware cannot.
TEST(Verdict, SaysWhatSlowedTheRunsDown) {
  const auto reason_for = [](const std::vector<Named>& causes) {
    Report report = healthy_sweep();
    report.findings.clear();
    for (const Named& cause : causes) {
      add(report, finding_kinds::throttled, ids_of(report)[0], {{"where", "n1"}, cause});
    }
    return judged(report)->reasons.at(0).text;
  };
  const Named quota{"quota_cpus", 0.31}, heat{"slowed_share", 0.05};
  EXPECT_TRUE(reason_for({quota}).starts_with("a CPU quota held ranks back in 1 of "))
      << reason_for({quota});
  EXPECT_TRUE(reason_for({heat}).starts_with("the hardware was slowed down in 1 of "))
      << reason_for({heat});
  EXPECT_TRUE(
      reason_for({heat, quota}).starts_with("the hardware and a CPU quota slowed ranks down"));
}

// Fit runs speak for a disturbed one, and not for one whose numbers are wrong.
TEST(Verdict, ClocksAndCountersThatDisagreeAreNeverSpared) {
  for (const auto* kind : {&finding_kinds::clocks_disagree, &finding_kinds::counters_disagree}) {
    Report report = healthy_sweep();
    report.findings.clear();
    add(report, *kind, ids_of(report).front());
    EXPECT_EQ(level_of(report), VerdictLevel::kDoNotQuote) << kind->code;
    EXPECT_FALSE(FitOfRuns(report).is_fit(ids_of(report).front())) << kind->code;
  }
}

TEST(Verdict, WhatIsNotKnownAndALittleStealCostCare) {
  Report report = healthy_sweep();
  report.findings.clear();
  for (const auto& id : ids_of(report)) add(report, finding_kinds::steal, id);
  EXPECT_EQ(level_of(report), VerdictLevel::kWithCare);
  EXPECT_EQ(FitOfRuns(report).of_all().fit(), std::ssize(ids_of(report)));
  report.findings.clear();
  for (const auto& id : ids_of(report)) add(report, finding_kinds::others_unknown, id);
  EXPECT_EQ(level_of(report), VerdictLevel::kWithCare);
  EXPECT_EQ(FitOfRuns(report).of_all().brief, std::ssize(ids_of(report)));
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

// An earlier version reported the whole sweep: no run of it is known to be fit.
TEST(Verdict, AFindingThatNamesNoRunStandsForAll) {
  Report report = healthy_sweep();
  report.findings.clear();
  add(report, finding_kinds::shared);
  EXPECT_EQ(FitOfRuns(report).of_all().fit(), 0);
  EXPECT_EQ(level_of(report), VerdictLevel::kDoNotQuote);
}

TEST(Verdict, TheGravestReasonsComeFirstAndThreeAtMost) {
  Report report = healthy_sweep();
  report.findings.clear();
  add(report, finding_kinds::drift);
  add(report, finding_kinds::baseline_missing);
  add(report, finding_kinds::straggler);
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

TEST(Verdict, OneFindingOfCollectivesSpeaksForItsRuns) {
  Report report = sample_collectives();
  monitoring::Host host;
  host.hostname = "n1";
  host.cores.logical = 2;
  report.environment.hosts = {host};
  report.telemetry.clear();
  const auto watched = [&](std::size_t run, const char* source, double cpus) {
    monitoring::SourceSummary used{.source = source};
    used.mean = used.max = cpus;
    used.observed_s = 100;
    report.telemetry.push_back({report.collectives.at(run).id, "n1", used});
  };
  watched(0, "other_cpus", 1.6);
  watched(1, "other_cpus", 1.0);
  watched(2, "steal_cpus", 0.05);
  report.findings = findings_of_disturbed_runs(report);
  const auto ok =
      std::ranges::count(report.collectives, PointStatus::kOk, &CollectiveRecord::status);
  const auto runs = " of " + std::to_string(ok) + " runs";
  const auto reasons = judged(report)->reasons;
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_EQ(reasons[0].text, "other programs used 1.0 to 1.6 of 2 CPUs in 2" + runs);
  EXPECT_EQ(reasons[1].text, "1" + runs + ", the first of them " + report.collectives[2].id +
                                 ": n1: the hypervisor took 0.05 of 2 CPUs (steal) (limit 0.02)");
  Report older = report;
  for (Finding& finding : older.findings) {
    finding.values.clear();
    finding.words.clear();
  }
  complete_values(older);
  EXPECT_EQ(judged(older)->reasons[0].text, reasons[0].text);
}

// Another version may know of more.
TEST(Verdict, AFindingOfAnUnknownCodeCostsByItsSeverity) {
  for (const auto& [severity, level] :
       {std::pair("info", VerdictLevel::kQuotable), std::pair("warning", VerdictLevel::kWithCare),
        std::pair("error", VerdictLevel::kDoNotQuote)}) {
    Report report = healthy_sweep();
    Finding finding;
    finding.code = "of_tomorrow";
    finding.severity = severity;
    finding.text = "seen";
    report.findings = {finding, finding};
    EXPECT_EQ(level_of(report), level) << severity;
    EXPECT_EQ(codes_of(report).size(), level == VerdictLevel::kQuotable ? 0u : 1u);
  }
}

TEST(Verdict, OfANewerVersionIsNotBettered) {
  Report report = healthy_sweep();
  report.verdict = {VerdictLevel::kDoNotQuote, {{"of_tomorrow", "seen"}}};
  for (const auto& [version, level] : {std::pair("999.0.1", VerdictLevel::kDoNotQuote),
                                       std::pair("0.1.9", VerdictLevel::kQuotable)}) {
    report.tool.version = version;
    EXPECT_EQ(verdict_of(report)->level, level) << version;
    EXPECT_EQ(rejudged_reason(*verdict_of(report)) != nullptr, level == VerdictLevel::kQuotable);
  }
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

// --- What the numbers themselves say, whatever the findings are.

std::vector<std::string> doubted(const std::function<void(Report&)>& change) {
  Report report = healthy_sweep();
  report.findings.clear();
  change(report);
  const Verdict verdict = judged(report).value();
  EXPECT_EQ(verdict.level,
            verdict.reasons.empty() ? VerdictLevel::kQuotable : VerdictLevel::kWithCare);
  return codes_of(report);
}

using Codes = std::vector<std::string>;

TEST(Doubts, AnIntervalThatShowsLittleCostsTheVerdict) {
  const auto with_ends = [](double low, double high) {
    return doubted([=](Report& report) {
      ScalingRow& row = report.scaling.front().rows.back();
      row.efficiency_ci95.low = low;
      row.efficiency_ci95.high = high;
    });
  };
  EXPECT_EQ(with_ends(0.36, 1.4), Codes{});
  EXPECT_EQ(with_ends(0.3, 1.4), Codes{"wide_interval"});
  EXPECT_EQ(with_ends(0.0, 1.4), Codes{"wide_interval"});
  EXPECT_EQ(doubted([](Report& report) {
              report.groups[1].ci95 = {100, 500};
            }),
            Codes{"wide_interval"});
  Report report = sample_collectives();
  report.findings.clear();
  report.collective_groups.front().time_s.ci95 = {1e-6, 5e-6};
  EXPECT_EQ(codes_of(report), Codes{"wide_interval"});
}

// Whichever of the records says it: rows may be gone, or their number changed.
TEST(Doubts, FewRunsCostIt) {
  EXPECT_EQ(doubted([](Report& report) {
              std::erase_if(report.points,
                            [](const PointRecord& run) { return run.repetition > 1; });
            }),
            Codes{"few_runs"});
  EXPECT_EQ(doubted([](Report& report) { report.groups.back().n = 2; }), Codes{"few_runs"});
  EXPECT_EQ(doubted([](Report& report) { report.scaling.front().rows.back().points.resize(2); }),
            Codes{"few_runs"});
  EXPECT_EQ(doubted([](Report& report) { report.groups.back().n = 3; }), Codes{});
}

// A resumed sweep has rates of three runs, and efficiencies of the two blocks of one session.
TEST(Doubts, PairsThatAreFewerThanRunsAreCalledPairs) {
  for (const std::size_t pairs : {1u, 2u}) {
    Report report = sample_sweep({});
    report.findings.clear();
    report.scaling.front().rows.back().points.resize(pairs);
    const auto doubts = doubts_of(report);
    const auto few = std::ranges::find(doubts, "few_runs", &Doubt::code);
    ASSERT_NE(few, doubts.end());
    EXPECT_TRUE(few->text.starts_with("an efficiency rests on " + std::to_string(pairs) + " pair"))
        << few->text;
  }
}

TEST(Doubts, WindowsThatShowLittleCostIt) {
  EXPECT_EQ(doubted([](Report& report) { report.points.back().iterations = 3; }),
            Codes{"short_window"});
  EXPECT_EQ(doubted([](Report& report) { report.points.back().wall_s = 1.9; }),
            Codes{"short_window"});
  EXPECT_EQ(doubted([](Report& report) {
              report.groups.back().steady.reset();
              report.groups.back().bias_bound = 0.03;
            }),
            Codes{"windows_unknown"});
  EXPECT_EQ(doubted([](Report& report) { report.groups.back().steady = false; }),
            Codes{"windows_not_steady"});
}

TEST(Doubts, WaitsForDataCostIt) {
  const auto waiting = [](double share) {
    return doubted([=](Report& report) {
      PointRecord& run = report.points.back();
      for (RankRecord& rank : run.ranks) rank.data_wait_s = share * run.step_mean_over_ranks_s;
    });
  };
  EXPECT_EQ(waiting(0.04), Codes{});
  EXPECT_EQ(waiting(0.6), Codes{"data_wait"});
}

// Ten seconds of 97 in each run: the interval over runs knows nothing of it.
TEST(Doubts, AStopThatLowersAMeanByMoreThanHalfItsIntervalCostsIt) {
  const auto stopped = [](double share, double half_width) {
    return doubted([=](Report& report) {
      GroupRecord& group = report.groups.back();
      group.ci95 = {*group.samples_per_sec * (1 - half_width),
                    *group.samples_per_sec * (1 + half_width)};
      for (PointRecord& run : report.points) {
        if (run.group != group.group) continue;
        run.step_samples_s.assign(200, 0.01);
        run.step_samples_s[77] += share / (1 - share) * 2;
        run.step_s.p50 = 0.01;
      }
    });
  };
  EXPECT_EQ(stopped(0.103, 0.01), Codes{"slow_steps"});
  EXPECT_EQ(stopped(0.103, 0.12), Codes{});
  EXPECT_EQ(stopped(0.015, 0.01), Codes{}) << "a step of less than five times the median";
}

// Steps of a GPU may be too short to mark each: there are no quantiles then.
TEST(Doubts, AStopIsSeenBetweenMarksOfSeveralSteps) {
  PointRecord run;
  run.step_samples_s.assign(100, 0.01);
  run.step_samples_s[7] = 0.26;
  EXPECT_NEAR(slow_steps_share(run), 0.25 / 1.25, 1e-9);
}

TEST(Doubts, WithoutSingleStepsTheLongestSpeaks) {
  PointRecord run;
  run.wall_s = 97;
  run.step_s.p50 = 0.1;
  run.step_s.max = 10.1;
  EXPECT_NEAR(slow_steps_share(run), 10.0 / 97, 1e-12);
  run.step_s.max = 0.4;
  EXPECT_EQ(slow_steps_share(run), 0);
}

// A finding and the number that it reports are one reason.
TEST(Doubts, AreSaidOnceBesideTheirFindings) {
  Report report = healthy_sweep();
  report.findings.clear();
  report.points.back().iterations = 3;
  add(report, finding_kinds::short_window, report.points.back().id);
  EXPECT_EQ(codes_of(report), Codes{"short_window"});
  report = healthy_sweep();
  report.findings.clear();
  add(report, finding_kinds::data_wait, report.points.back().id, {{"share", 0.6}});
  EXPECT_EQ(codes_of(report), Codes{"data_wait"});
}

TEST(Verdict, IsJudgedAnewWhenAReportIsReadAndTheChangeIsReportedOnce) {
  Report report = healthy_sweep();
  report.findings.clear();
  report.tool.version = "0.2.0";
  report.verdict = Verdict{VerdictLevel::kQuotable, {}};
  complete_older(report);
  EXPECT_FALSE(rejudged_reason(*report.verdict));
  report.points.back().iterations = 3;
  complete_older(report);
  ASSERT_TRUE(rejudged_reason(*report.verdict));
  EXPECT_EQ(report.verdict->level, VerdictLevel::kWithCare);
  EXPECT_EQ(rejudged_reason(*report.verdict)->text,
            "scalemark 0.2.0 called it 'quotable': judged anew it is 'quote with care'");
  const auto reasons = report.verdict->reasons.size();
  complete_older(report);  // it is complete, as `report --format json` writes it
  EXPECT_EQ(report.verdict->reasons.size(), reasons);
  ASSERT_TRUE(rejudged_reason(*report.verdict));
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
  const Finding slow = make_finding(finding_kinds::straggler, "");
  const Finding wrong = make_finding(finding_kinds::wrong_elements, "");
  const Finding noise = make_finding(finding_kinds::shared, "");
  const Finding remark = make_finding(finding_kinds::short_window, "");
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
  add(report, finding_kinds::slow_link);
  report.findings.back().text = "the link from a to b is slow";
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
