#include "core/reporting/compare/compare.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "core/reporting/compare/text.h"
#include "tests/core/reporting/sample_collectives.h"
#include "tests/core/reporting/sample_report.h"

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

TEST(CompareSides, UnsureHasAReason) {
  NamedReport failing = report("b", {{"x", kOld}, {"y", {100, 100}}, {"new", kOld}});
  failing.report.points[5].status = failing.report.points[6].status = PointStatus::kOom;
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}, {"gone", kOld}})},
                                        {failing}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[1].against[0].reason, "not measured: 2 oom");
  EXPECT_EQ(comparison.points[2].against[0].reason, "no new report holds the point");
  EXPECT_EQ(comparison.new_points, std::vector<std::string>{"new"});
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, ARunWithoutARateIsNotMeasured) {
  const Comparison comparison = compare_sides(
      std::vector<ComparedSide>{{report("a", {{"x", kOld}, {"y", kOld}})},
                                {report("b", {{"x", {0, 100, 100, 100, 101}}, {"y", {0}}})}},
      kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].after.units, 4u);
  EXPECT_EQ(comparison.points[0].against[0].after.trouble, "1 without a rate");
  EXPECT_EQ(comparison.points[1].against[0].reason, "not measured: 1 without a rate");
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, TwoRunsAreTooFew) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", {100, 100.1}}})},
                                        {report("b", {{"x", {50, 50.1}}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].reason,
            "2 runs on one side: three are needed, five on each are advised");
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
  const std::string text = comparison_markdown(comparison);
  EXPECT_NE(text.find("**2 differs in this session, 0 same, 0 unsure**"), std::string::npos);
  EXPECT_NE(text.find("five files of separate sessions on each side"), std::string::npos);
}

// What a resume appends to a report is a session of its own.
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
            "1 session on one side: three are needed, five on each are advised");
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
  EXPECT_EQ(
      points[0].against[0].certain,
      "slower by 2.50 % (90 % interval 1.63 to 3.36 %): more than 0 is certain, more than 2 % "
      "is not");
  EXPECT_EQ(points[1].against[0].certain,
            "faster by 10.00 % (90 % interval 9.02 to 10.98 %): more than 0 is certain, more than "
            "2 % too");
  EXPECT_EQ(points[2].against[0].certain, "");
  EXPECT_EQ(points[2].against[0].reason,
            "slower by 1.50 % (90 % interval 0.62 to 2.37 %): more than 0 is certain, whether more "
            "than 2 % is not");
  const std::string apart = compare_sides(sides, kAnySessions).points[0].against[0].certain;
  EXPECT_NE(apart.find("whether it is the session's"), std::string::npos);
}

TEST(CompareSides, EachRowSaysWhatItCouldHaveFound) {
  const std::vector<double> wide{100, 104, 96, 102, 98};
  const std::vector<ComparedSide> sides{{report("a", {{"x", wide}, {"y", kOld}})},
                                        {report("b", {{"x", wide}, {"y", times(1)}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  const PointAgainst& x = comparison.points[0].against[0];
  EXPECT_EQ(x.change.change, Change::kUnsure);
  EXPECT_NE(x.reason.find("a change of less than 9.67 % could go unseen"), std::string::npos);
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
  EXPECT_TRUE(x.reason.starts_with("slower by 7.00 % (90 % interval 3.")) << x.reason;
  EXPECT_NE(x.reason.find("not significant over all 12 points (p 0.0"), std::string::npos)
      << x.reason;
}

TEST(CompareSides, RunsThatShowNothingSaySo) {
  const std::vector<double> wild{1, 100, 10000};
  const std::vector<ComparedSide> sides{{report("a", {{"x", wild}})}, {report("b", {{"x", wild}})}};
  const Comparison comparison = compare_sides(sides, kOneGo);
  EXPECT_EQ(comparison.points[0].against[0].reason,
            "the interval reaches across the threshold: these runs show nothing");
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
  EXPECT_NE(text.find("side 3 change %"), std::string::npos);
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

TEST(CompareSides, NothingInCommonIsRefused) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"y", kOld}})}};
  EXPECT_THROW(compare_sides(sides, kOneGo), Error);
}

}  // namespace
}  // namespace scalemark::reporting
