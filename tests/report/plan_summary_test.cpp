#include <gtest/gtest.h>

#include <algorithm>

#include "report/judge/sweep/summary.h"
#include "report/say/render/render.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

namespace fs = std::filesystem;

Report with_groups(const std::vector<std::string>& groups) {
  Report report = sample_report(1, false);
  const PointRecord example = report.points.front();
  report.points.clear();
  for (const auto& group : groups) {
    report.points.push_back(example);
    report.points.back().group = group;
    report.points.back().id = group + "/r0";
  }
  return report;
}

TEST(SummariseByPlan, EachGroupHasItsReasonAndOnlyTheUnconvergedAreNamed) {
  Report report = with_groups({"quiet", "noisy", "gone"});
  for (int again = 0; again < 2; ++again) {  // made anew, not added
    summarise_by_plan(report, {}, {{"quiet", "until-ci"}, {"noisy", "unconverged"}});
    std::map<std::string, std::string> reasons;
    for (const auto& group : report.groups) reasons[group.group] = group.stop_reason;
    EXPECT_EQ(reasons, (std::map<std::string, std::string>{
                           {"quiet", "until-ci"}, {"noisy", "unconverged"}, {"gone", ""}}));
    std::vector<std::string> texts;
    for (const auto& finding : report.findings) {
      if (finding.code == "unconverged") texts.push_back(finding.text);
    }
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_TRUE(texts[0].ends_with("asked for: noisy")) << texts[0];
  }
}

TEST(WriteRenderings, BothOrNone) {
  const fs::path folder =
      fs::temp_directory_path() / ("scalemark-renderings-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  fs::create_directories(folder);
  write_renderings(folder, sample_report(1, false));
  EXPECT_TRUE(fs::exists(folder / "report.md") && fs::exists(folder / "report.html"));
  fs::remove(folder / "report.html");
  fs::create_directories(folder / "report.html" / "in the way");
  EXPECT_THROW(write_renderings(folder, sample_report(1, false)), Error);
  EXPECT_FALSE(fs::exists(folder / "report.md")) << "it would show a report that was not closed";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace scalemark::reporting
