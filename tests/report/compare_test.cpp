#include "report/say/compare/compare.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "report/record/finding_kinds.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;

using statistics::ComparedUnit;

constexpr CompareRule kOneGo{.threshold = 0.02, .same_session = true};
constexpr CompareRule kAnySessions{.threshold = 0.02};

const std::vector<double> kOld{100, 101, 99, 100.5, 99.5};

// One report whose points are one group each, a run for each rate.
NamedReport report(const std::string& name,
                   const std::vector<std::pair<std::string, std::vector<double>>>& groups) {
  NamedReport named{name, sample_report(1, false)};
  const PointRecord example = named.report.points.front();
  named.report.points.clear();
  for (const auto& [group, rates] : groups) {
    for (const double rate : rates) {
      PointRecord point = example;
      point.group = group;
      point.id = group + "-r" + std::to_string(named.report.points.size());
      point.samples_per_sec = rate;
      named.report.points.push_back(point);
    }
  }
  return named;
}

std::string text_of(const Comparison& comparison, int columns = 100, bool details = false) {
  return comparison_text(comparison, {.is_terminal = true, .columns = columns}, details);
}

std::vector<double> times(double factor) {
  std::vector<double> rates{100.2, 99.8, 100, 101, 99};
  for (double& rate : rates) rate *= factor;
  return rates;
}

// Calls per second: a time that is twice as long is a rate of half.
TEST(CompareSides, CollectivesAreMatchedByGroup) {
  const auto side = [](const std::string& name, double factor) {
    NamedReport named{name, sample_collectives({.noise = 0.002})};
    for (CollectiveRecord& run : named.report.collectives) {
      if (run.collective == collectives::Collective::kBarrier) run.time_s *= factor;
    }
    return ComparedSide{named};
  };
  const std::vector<ComparedSide> sides{side("a", 1), side("b", 2)};
  const Comparison comparison = compare_sides(sides, kOneGo);
  ASSERT_EQ(comparison.points.size(), 45u);  // 7 sizes x 3 kinds and a barrier over 2; 1 skipped
  for (const ComparedPoint& point : comparison.points) {
    const bool is_barrier = point.group.starts_with("barrier");
    const bool is_skipped = point.group.starts_with("broadcast");
    EXPECT_EQ(point.unit, "calls");
    EXPECT_EQ(point.against[0].change.change, is_barrier   ? Change::kSlower
                                              : is_skipped ? Change::kUnsure
                                                           : Change::kSame)
        << point.group;
    if (!is_barrier) continue;
    EXPECT_NEAR(point.against[0].change.relative.value(), -0.5, 1e-9);
  }
}

TEST(CompareSides, SlowerSameFasterByGroup) {
  const std::vector<ComparedSide> sides{
      {report("a", {{"x", kOld}, {"y", kOld}, {"z", kOld}})},
      {report("b", {{"z", times(1.05)}, {"y", times(1)}, {"x", times(0.95)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  ASSERT_EQ(comparison.points.size(), 3u);
  EXPECT_EQ(comparison.points[0].group, "x");
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSlower);
  EXPECT_EQ(comparison.points[1].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[2].against[0].change.change, Change::kFaster);
  EXPECT_EQ(comparison.unit, ComparedUnit::kRunOfTheSameSession);
  EXPECT_EQ(exit_code(comparison), ExitCode::kFail);
}

TEST(CompareSides, SeveralFilesMakeTheSessionTheUnit) {
  ComparedSide before, after;
  for (const double shift : {0.99, 1.0, 1.01}) {
    before.push_back(report("a", {{"x", {100 * shift, 100 * shift}}}));
    after.push_back(report("b", {{"x", {90 * shift, 90 * shift}}}));
  }
  const Comparison comparison = compare_sides(std::vector{before, after}, kAnySessions);
  EXPECT_EQ(comparison.unit, ComparedUnit::kSession);
  EXPECT_EQ(comparison.points[0].before.units, 3u);  // six runs
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSlower);
  EXPECT_NEAR(*comparison.points[0].against[0].change.relative, -0.1, 1e-12);
}

TEST(CompareSides, WhatNoRunMeasuredIsUnsureForThat) {
  NamedReport failing = report("b", {{"x", kOld}, {"y", {100, 100}}});
  failing.report.points[5].status = failing.report.points[6].status = PointStatus::kOom;
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}})}, {failing}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[1].against[0].reason, "the new side has no run that counts: 2 oom");
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, PointsThatOneSideLacksAreReportedOnceAndJudgeNothing) {
  const std::vector<ComparedSide> sides{
      {report("a", {{"x", kOld}, {"gone", kOld}, {"lost", kOld}})},
      {report("b", {{"x", kOld}, {"new", kOld}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  ASSERT_EQ(comparison.points.size(), 1u);
  EXPECT_EQ(count_of(comparison, Change::kUnsure), 0u);
  EXPECT_EQ(exit_code(comparison), ExitCode::kPass);
  const std::string text = text_of(comparison);
  EXPECT_TRUE(text.starts_with("no difference beyond 2 % (1 point)\n")) << text;
  EXPECT_NE(text.find("- 2 points only in old: gone, lost\n"), std::string::npos) << text;
  EXPECT_NE(text.find("- 1 point only in new: new\n"), std::string::npos) << text;
}

TEST(CompareSides, APointThatOneOfSeveralSidesLacksIsJudgedOnTheOthers) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}})},
                                        {report("b", {{"x", times(1)}, {"y", times(1)}})},
                                        {report("c", {{"x", times(1)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_TRUE(comparison.points[1].against[1].absent);
  EXPECT_EQ(count_of(comparison, Change::kSame), 3u);
  EXPECT_EQ(exit_code(comparison), ExitCode::kPass);
  const std::string text = text_of(comparison);
  EXPECT_NE(text.find("- 1 point not in side 3: y\n"), std::string::npos) << text;
}

TEST(CompareSides, ARunWithoutARateIsNotMeasured) {
  const Comparison comparison = compare_sides(
      std::vector<ComparedSide>{{report("a", {{"x", kOld}, {"y", kOld}})},
                                {report("b", {{"x", {0, 100, 100, 100, 101}}, {"y", {0}}})}},
      kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].after.units, 4u);
  EXPECT_EQ(comparison.points[0].against[0].after.trouble, "1 without a rate");
  EXPECT_EQ(comparison.points[1].against[0].reason,
            "the new side has no run that counts: 1 without a rate");
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, TwoRunsAreTooFew) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", {100, 100.1}}})},
                                        {report("b", {{"x", {50, 50.1}}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].reason,
            "there are 2 runs on one side: three are needed, five on each are advised");
}

NamedReport disturbed(NamedReport named, const FindingKind& kind = finding_kinds::shared) {
  for (const PointRecord& run : named.report.points) {
    Finding finding;
    finding.code = kind.code;
    finding.point = run.id;
    named.report.findings.push_back(finding);
  }
  return named;
}

TEST(CompareSides, DisturbedRunsAreNamedByTheirSides) {
  const NamedReport quiet = report("a", {{"x", kOld}}), busy = disturbed(quiet);
  const auto reason = [](const NamedReport& before, const NamedReport& after) {
    const std::vector<ComparedSide> sides{{before}, {after}};
    const Comparison comparison = compare_sides(sides, kOneGo);
    EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kDisturbed);
    EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
    return comparison.points[0].against[0].reason;
  };
  EXPECT_TRUE(reason(busy, busy).starts_with("too many runs of both sides were disturbed"));
  EXPECT_TRUE(reason(busy, quiet).starts_with("too many runs of the old side were disturbed"));
  EXPECT_TRUE(reason(quiet, busy).starts_with("too many runs of the new side were disturbed"));
  const NamedReport brief = disturbed(quiet, finding_kinds::others_unknown);
  EXPECT_EQ(reason(quiet, brief),
            "too many windows of the new side are too brief to tell whether others used the "
            "machine: lengthen them (--min-time), and repeat");
  EXPECT_TRUE(reason(brief, busy).starts_with("too many runs of both sides were disturbed"));
}

// The session is part of what differs, and of no interval: no number of runs tells it apart.
TEST(CompareSides, OneSessionEachOnlyDiffers) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}})},
                                        {report("b", {{"x", times(0.95)}, {"y", times(1.05)}})}};
  const Comparison comparison = compare_sides(sides, kAnySessions);
  EXPECT_EQ(comparison.unit, ComparedUnit::kRunOfOneSession);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kDiffers);
  EXPECT_EQ(comparison.points[1].against[0].change.change, Change::kDiffers);
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
  const std::string text = text_of(comparison);
  EXPECT_TRUE(
      text.starts_with("cannot tell, because each side is one session, and sessions differ "
                       "by themselves\n"))
      << text;
  EXPECT_EQ(text.find("sessions differ"), text.rfind("sessions differ")) << "each fact once";
  EXPECT_NE(text.find("five files of separate sessions on each side, or --same-session"),
            std::string::npos)
      << text;
}

// Each resume appends a session of its own to a report.
NamedReport in_sessions(NamedReport named, const std::vector<int>& sessions) {
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    named.report.points.at(i).session = sessions[i];
  }
  return named;
}

TEST(CompareSides, OneFileOfSeveralSessions) {
  const std::vector<int> of_run{0, 0, 1, 1, 2};
  const std::vector<ComparedSide> sides{
      {in_sessions(report("a", {{"x", {100, 100, 101, 101, 99}}}), of_run)},
      {in_sessions(report("b", {{"x", {90, 90, 91, 91, 89}}}), of_run)}};
  const Comparison comparison = compare_sides(sides, kAnySessions);
  EXPECT_EQ(comparison.unit, ComparedUnit::kSession);
  EXPECT_EQ(comparison.points[0].before.units, 3u);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSlower);
  EXPECT_THROW(compare_sides(sides, kOneGo), Error);
}

TEST(CompareSides, TwoSessionsAreTooFew) {
  const std::vector<ComparedSide> sides{{in_sessions(report("a", {{"x", kOld}}), {0, 0, 0, 1, 1})},
                                        {report("b", {{"x", kOld}})}};
  const Comparison comparison = compare_sides(sides, kAnySessions);
  EXPECT_EQ(comparison.points[0].before.units, 2u);
  EXPECT_EQ(comparison.points[0].against[0].reason,
            "there is 1 session on one side: three are needed, five on each are advised");
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, ASessionThatMeasuredNothingIsNone) {
  NamedReport resumed = in_sessions(report("b", {{"x", {100, 101, 99, 100, 1}}}), {0, 0, 0, 0, 1});
  resumed.report.points[4].status = PointStatus::kFailed;
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {resumed}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.sessions, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSame);
}

TEST(CompareSides, SaysWhatIsCertainOfAChange) {
  const std::vector<ComparedSide> sides{
      {report("a", {{"x", kOld}, {"y", kOld}, {"z", kOld}})},
      {report("b", {{"x", times(0.975)}, {"y", times(1.1)}, {"z", times(0.985)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  const auto& points = comparison.points;
  EXPECT_EQ(points[0].against[0].certain, "a difference is certain, one of more than 2 % is not");
  EXPECT_EQ(points[1].against[0].certain, "a difference is certain, one of more than 2 % is too");
  EXPECT_EQ(points[2].against[0].certain, "");
  EXPECT_EQ(points[2].against[0].reason,
            "there is a difference, and whether it exceeds 2 % is open");
  const std::string text = text_of(comparison);
  EXPECT_TRUE(text.starts_with("slower: x by 2.50 %; 1 faster, 1 unsure\n")) << text;
  EXPECT_NE(text.find("-3.36 to -1.63"), std::string::npos) << text;
}

TEST(CompareSides, EachRowSaysWhatItCouldHaveFound) {
  const std::vector<double> wide{100, 104, 96, 102, 98};
  const std::vector<ComparedSide> sides{{report("a", {{"x", wide}, {"y", kOld}})},
                                        {report("b", {{"x", wide}, {"y", times(1)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  const PointAgainst& x = comparison.points[0].against[0];
  EXPECT_EQ(x.change.change, Change::kUnsure);
  EXPECT_EQ(x.reason, "the runs spread too much to tell whether they differ by 2 %");
  const std::string text = comparison_markdown(comparison);
  EXPECT_NE(text.find("finds from %"), std::string::npos);
  EXPECT_NE(text.find("| 9.67 |"), std::string::npos);
  EXPECT_NE(text.find("| 2.23 |"), std::string::npos);
}

// The interval of one point alone lies outside the threshold; of twelve points one does by chance.
TEST(CompareSides, WhatIsNotSignificantOverAllPointsIsUnsureForThat) {
  const std::vector<double> wide{100, 104, 96, 102, 98};
  std::vector<double> slower = wide;
  for (double& rate : slower) rate *= 0.93;
  std::vector<std::pair<std::string, std::vector<double>>> before{{"x", wide}},
      after{{"x", slower}};
  for (int i = 0; i < 11; ++i) {
    before.emplace_back("same" + std::to_string(i), kOld);
    after.emplace_back("same" + std::to_string(i), kOld);
  }
  before.emplace_back("few", std::vector<double>{100});  // is not tested
  const std::vector<ComparedSide> sides{{report("a", before)}, {report("b", after)}};
  const PointAgainst x = compare_sides(sides, kOneGo).points[0].against[0];
  ASSERT_EQ(x.change.change, Change::kUnsure);
  ASSERT_LT(x.change.ci90.value().high, -0.02);
  EXPECT_EQ(x.reason, "chance may give such a difference in one of 12 points");
}

TEST(CompareSides, RunsThatShowNothingSaySo) {
  const std::vector<double> wild{1, 100, 10000};
  const std::vector<ComparedSide> sides{{report("a", {{"x", wild}})}, {report("b", {{"x", wild}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].reason,
            "the runs spread too much to tell whether they differ by 2 %");
  EXPECT_NE(comparison_markdown(comparison).find("| > 100 |"), std::string::npos);
}

TEST(CompareSides, AllTheSameIsAPass) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"x", kOld}})}};
  EXPECT_EQ(exit_code(compare_sides(sides, kOneGo)), ExitCode::kPass);
}

TEST(CompareSides, ThreeSidesStandAgainstTheFirst) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})},
                                        {report("b", {{"x", times(1)}})},
                                        {report("c", {{"x", times(0.9)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  ASSERT_EQ(comparison.points[0].against.size(), 2u);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[0].against[1].change.change, Change::kSlower);
  const std::string text = comparison_markdown(comparison);
  EXPECT_NE(text.find("| x | side 3 |"), std::string::npos) << text;
  EXPECT_TRUE(text_of(comparison).starts_with("slower: x (side 3) by 10.00 %; 1 same\n"));
}

TEST(CompareSides, DifferencesAreListed) {
  std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"x", kOld}})}};
  EXPECT_TRUE(compare_sides(sides, kOneGo).differences.empty());
  sides[1][0].report.environment.hosts.front().cpu = "Another";
  sides[1][0].report.points.front().threads = 7;
  const auto differences = compare_sides(sides, kOneGo).differences;
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].what, "CPU");
  EXPECT_EQ(differences[0].values[1], "Another");
  EXPECT_EQ(differences[1].what, "threads of x");
}

TEST(CompareText, HasNoWordsOfStatisticsUnlessAsked) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}})},
                                        {report("b", {{"x", times(0.9)}, {"y", times(1.01)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  for (const char* word : {"Welch", "Holm", "finds", "units", "#", "**"}) {
    EXPECT_EQ(text_of(comparison).find(word), std::string::npos) << word;
  }
  EXPECT_NE(text_of(comparison, 100, true).find("Holm"), std::string::npos);
}

TEST(CompareText, FitsEveryWidth) {
  const std::string name = "resnet50-image_size224-threads4-b32-fp32-w4-ddp";
  std::vector<ComparedSide> sides{{report("a", {{name, kOld}, {"few", {100}}, {"gone", kOld}})},
                                  {report("b", {{name, times(0.9)}, {"few", {100}}})}};
  sides[1][0].report.environment.hosts.front().cpu = "Another CPU with a name of many words";
  const Comparison comparison = compare_sides(sides, kOneGo);
  for (const int columns : {60, 80, 120}) {
    std::istringstream text(text_of(comparison, columns));
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(CompareText, OfManyPointsShowsThoseThatDiffer) {
  std::vector<std::pair<std::string, std::vector<double>>> before, after;
  for (int i = 0; i < 20; ++i) {
    before.emplace_back("x" + std::to_string(i), kOld);
    after.emplace_back("x" + std::to_string(i), times(i == 7 ? 0.9 : 1));
  }
  const std::string text = text_of(compare_sides(
      std::vector<ComparedSide>{{report("a", before)}, {report("b", after)}}, kOneGo));
  EXPECT_TRUE(text.starts_with("slower: x7 by 10.00 %; 19 same\n")) << text;
  EXPECT_NE(text.find("\nx7 "), std::string::npos) << text;
  EXPECT_EQ(text.find("\nx8 "), std::string::npos) << text;
  EXPECT_NE(text.find("- 19 rows more: --details\n"), std::string::npos) << text;
}

// A disturbed side's rate has the two digits that are known of it, and one of clocks that disagree
// is none. Programs get the number, and how far it stands.
TEST(CompareText, RatesOfDisturbedRunsHaveNoMoreDigitsThanAreKnown) {
  NamedReport old = report("a", {{"x", kOld}}), busy = report("b", {{"x", times(1.234)}});
  for (const PointRecord& run : busy.report.points) {
    busy.report.findings.push_back(make_finding(finding_kinds::shared, run.id));
  }
  const auto shared = compare_sides(std::vector<ComparedSide>{{old}, {busy}}, kOneGo);
  EXPECT_NE(text_of(shared).find(" ~120 "), std::string::npos) << text_of(shared);
  EXPECT_EQ(text_of(shared).find("123"), std::string::npos) << text_of(shared);
  EXPECT_NE(comparison_csv(shared).find(",123.4,"), std::string::npos) << comparison_csv(shared);
  EXPECT_TRUE(comparison_csv(shared).ends_with(",disturbed,withheld\r\n"));
  for (PointRecord& run : busy.report.points) {
    run.standing = {kWithheld, finding_kinds::clocks_disagree.code};
  }
  const auto wrong = compare_sides(std::vector<ComparedSide>{{old}, {busy}}, kOneGo);
  EXPECT_TRUE(comparison_csv(wrong).ends_with(",disturbed,withheld\r\n")) << comparison_csv(wrong);
  for (const std::string& text : {text_of(wrong), comparison_csv(wrong)}) {
    EXPECT_EQ(text.find("123"), std::string::npos) << text;
  }
}

TEST(CompareText, CsvHasALineForEachPoint) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})},
                                        {report("b", {{"x", times(0.9)}})}};
  const std::string csv = comparison_csv(compare_sides(sides, kOneGo));
  EXPECT_TRUE(csv.starts_with("point,old images/s,new images/s,change %,")) << csv;
  EXPECT_NE(csv.find("\r\nx,100,90,-10.00,"), std::string::npos) << csv;
  EXPECT_TRUE(csv.ends_with(",slower,shown\r\n")) << csv;
}

TEST(CompareSides, NothingInCommonIsRefused) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"y", kOld}})}};
  EXPECT_THROW(compare_sides(sides, kOneGo), Error);
}

}  // namespace
}  // namespace scalemark::reporting
