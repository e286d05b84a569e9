#include "core/reporting/compare/compare.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/base/error.h"
#include "core/reporting/compare/text.h"
#include "tests/core/reporting/sample_report.h"

namespace scalemark::reporting {
namespace {

using statistics::Change;

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

TEST(CompareSides, SlowerSameFasterByGroup) {
  const std::vector<ComparedSide> sides{
      {report("a", {{"x", kOld}, {"y", kOld}, {"z", kOld}})},
      {report("b", {{"z", times(1.05)}, {"y", times(1)}, {"x", times(0.95)}})}};
  const Comparison comparison = compare_sides(sides, 0.02);
  ASSERT_EQ(comparison.points.size(), 3u);
  EXPECT_EQ(comparison.points[0].group, "x");
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSlower);
  EXPECT_EQ(comparison.points[1].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[2].against[0].change.change, Change::kFaster);
  EXPECT_FALSE(comparison.unit_is_session);
  EXPECT_EQ(exit_code(comparison), ExitCode::kFail);
}

TEST(CompareSides, SeveralFilesMakeTheSessionTheUnit) {
  ComparedSide before, after;
  for (const double shift : {0.99, 1.0, 1.01}) {
    before.push_back(report("a", {{"x", {100 * shift, 100 * shift}}}));
    after.push_back(report("b", {{"x", {90 * shift, 90 * shift}}}));
  }
  const Comparison comparison = compare_sides(std::vector{before, after}, 0.02);
  EXPECT_TRUE(comparison.unit_is_session);
  EXPECT_EQ(comparison.points[0].before.units, 3u);  // six runs
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSlower);
  EXPECT_NEAR(*comparison.points[0].against[0].change.relative, -0.1, 1e-12);
}

TEST(CompareSides, UnsureHasAReason) {
  NamedReport failing = report("b", {{"x", kOld}, {"y", {100, 100}}, {"new", kOld}});
  failing.report.points[5].status = failing.report.points[6].status = PointStatus::kOom;
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}, {"y", kOld}, {"gone", kOld}})},
                                        {failing}};
  const Comparison comparison = compare_sides(sides, 0.02);
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
      0.02);
  EXPECT_EQ(comparison.points[0].against[0].after.units, 4u);
  EXPECT_EQ(comparison.points[0].against[0].after.trouble, "1 without a rate");
  EXPECT_EQ(comparison.points[1].against[0].reason, "not measured: 1 without a rate");
  EXPECT_EQ(exit_code(comparison), ExitCode::kUnsure);
}

TEST(CompareSides, TwoRunsAreTooFew) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", {100, 100.1}}})},
                                        {report("b", {{"x", {50, 50.1}}})}};
  const Comparison comparison = compare_sides(sides, 0.02);
  EXPECT_EQ(comparison.points[0].against[0].reason, "2 runs on one side: three are needed");
}

TEST(CompareSides, AllTheSameIsAPass) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"x", kOld}})}};
  EXPECT_EQ(exit_code(compare_sides(sides, 0.02)), ExitCode::kPass);
}

TEST(CompareSides, ThreeSidesStandAgainstTheFirst) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})},
                                        {report("b", {{"x", times(1)}})},
                                        {report("c", {{"x", times(0.9)}})}};
  const Comparison comparison = compare_sides(sides, 0.02);
  ASSERT_EQ(comparison.points[0].against.size(), 2u);
  EXPECT_EQ(comparison.points[0].against[0].change.change, Change::kSame);
  EXPECT_EQ(comparison.points[0].against[1].change.change, Change::kSlower);
  const std::string text = comparison_markdown(comparison);
  EXPECT_NE(text.find("side 3 change %"), std::string::npos);
}

TEST(CompareSides, DifferencesAreListed) {
  std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"x", kOld}})}};
  EXPECT_TRUE(compare_sides(sides, 0.02).differences.empty());
  sides[1][0].report.environment.hosts.front().cpu = "Another";
  sides[1][0].report.points.front().threads = 7;
  const auto differences = compare_sides(sides, 0.02).differences;
  ASSERT_EQ(differences.size(), 2u);
  EXPECT_EQ(differences[0].what, "CPU");
  EXPECT_EQ(differences[0].values[1], "Another");
  EXPECT_EQ(differences[1].what, "threads of x");
}

TEST(CompareSides, NothingInCommonIsRefused) {
  const std::vector<ComparedSide> sides{{report("a", {{"x", kOld}})}, {report("b", {{"y", kOld}})}};
  EXPECT_THROW(compare_sides(sides, 0.02), Error);
}

}  // namespace
}  // namespace scalemark::reporting
