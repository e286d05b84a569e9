#include <gtest/gtest.h>

#include "report/record/finding_kinds.h"
#include "report/say/render/render.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

Report measured() {
  return sample_sweep({.world_sizes = {1, 2},
                       .batch_sizes = {64},
                       .slow_rank = std::nullopt,
                       .solo = false,
                       .real_data = false});
}

bool holds(const Report& report, const std::string& text) {
  return render(Format::kJunit, {&report, 1}).find(text) != std::string::npos;
}

TEST(Junit, ASweepThatWasKilledIsNotGreen) {
  Report report = measured();
  EXPECT_TRUE(holds(report, "errors=\"0\""));
  report.status = ReportStatus::kPartial;
  report.exit_code.reset();
  EXPECT_TRUE(holds(report, "errors=\"1\""));
  EXPECT_TRUE(holds(report, "<error message=\"the report is partial\""));
  report.status = ReportStatus::kInterrupted;
  report.exit_code = 130;
  EXPECT_TRUE(holds(report, "<error message=\"the report is interrupted (exit 130)\""));
}

TEST(Junit, AnErrorOfAnEarlierSessionFailsNothingOnceAllWentWell) {
  Report report = measured();
  report.errors.push_back(
      {.code = "E_PREEMPTED", .exit_code = ExitCode::kPreempted, .what = "signal 15"});
  EXPECT_TRUE(holds(report, "errors=\"0\""));
  EXPECT_TRUE(holds(report, "of an earlier session: scalemark: error E_PREEMPTED"));
  report.exit_code = 75;
  EXPECT_TRUE(holds(report, "errors=\"1\""));
  EXPECT_FALSE(holds(report, "of an earlier session"));
}

// A time of 0 would be one that was measured.
TEST(Junit, ARunWhoseClocksDisagreeHasNoTime) {
  Report report = measured();
  EXPECT_FALSE(holds(report, "classname=\"scalemark.resnet50\"/>"));
  for (const PointRecord& run : report.points) {
    if (run.world_size == 1)
      report.findings.push_back(make_finding(finding_kinds::clocks_disagree, run.id));
  }
  const std::string text = render(Format::kJunit, {&report, 1});
  EXPECT_NE(text.find("classname=\"scalemark.resnet50\"/>"), std::string::npos) << text;
  EXPECT_NE(text.find("classname=\"scalemark.resnet50\" time=\""), std::string::npos) << text;
  EXPECT_EQ(text.find("resnet50\" time=\"0.000000\""), std::string::npos) << text;
}

TEST(Junit, WrongElementsOfACollectiveFailItsGroup) {
  Report report = sample_collectives();
  EXPECT_TRUE(holds(report, "name=\"expected_bandwidth\"")) << "a part that is blamed fails";
  report.findings.clear();
  EXPECT_TRUE(holds(report, "failures=\"0\""));
  EXPECT_TRUE(holds(report, "skipped=\"1\""));
  report.collectives[3].status = PointStatus::kFailed;
  report.collectives[3].reason = "3 of 256 elements wrong on rank 1";
  report.collectives[3].wrong = 3;
  EXPECT_TRUE(holds(report, "failures=\"1\""));
  EXPECT_TRUE(holds(report, report.collectives[3].id + ": 3 of 256 elements wrong on rank 1"));
  EXPECT_TRUE(holds(report, "classname=\"scalemark.all-reduce\""));
}

TEST(Junit, ABlamedPartFailsWhateverTheRunsSay) {
  Report report = measured();
  report.findings = {
      make_finding(finding_kinds::straggler, "", {}, FindingPlace{.rank = 3, .host = "n7"}),
      make_finding(finding_kinds::shared, report.points[0].id)};
  EXPECT_TRUE(holds(report, "failures=\"1\""));
  EXPECT_TRUE(holds(report, "name=\"straggler rank 3 of n7\""));
}

}  // namespace
}  // namespace scalemark::reporting
