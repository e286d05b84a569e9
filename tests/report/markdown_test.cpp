#include <gtest/gtest.h>

#include <utility>

#include "report/say/compare/compare.h"
#include "report/say/render/render.h"
#include "report/say/table/text_table.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

constexpr const char* kHostile = "/data/a|b\n<img src=x>*c*";
constexpr const char* kHarmless = "/data/a\\|b &lt;img src=x>\\*c\\*";

void expect_harmless(const std::string& text) {
  EXPECT_NE(text.find(kHarmless), std::string::npos) << text;
  EXPECT_EQ(text.find("<img"), std::string::npos) << text;
  EXPECT_EQ(text.find("a|b"), std::string::npos) << text;
}

TEST(MarkdownText, ShowsNamesAsTheyAre) {
  EXPECT_EQ(markdown_text(kHostile), kHarmless);
  EXPECT_EQ(markdown_text("batch_size _x_ __y"), "batch_size \\_x\\_ \\_\\_y");
  EXPECT_EQ(markdown_text("[a](b) `c` \\ &lt; ~d~"), "\\[a\\](b) \\`c\\` \\\\ \\&lt; \\~d\\~");
}

TEST(Markdown, ADataPathIsNoMarkupInSingleRuns) {
  std::vector<Report> reports{sample_report(1, false), sample_report(2, false)};
  for (Report& report : reports) report.points.front().data = kHostile;
  expect_harmless(render(Format::kMarkdown, reports));  // it stands above the table
  reports[1].points.front().data = "synthetic";
  expect_harmless(render(Format::kMarkdown, reports));  // it is a column
  reports[1].findings.push_back({"x", "warning", "", kHostile});
  reports[0].points.front().data = "synthetic";
  expect_harmless(render(Format::kMarkdown, reports));  // it stands below the table
}

TEST(Markdown, ADataPathIsNoMarkupInASweep) {
  Report report = sample_sweep({.batch_sizes = {64}});
  report.scaling.front().fixed["data"] = kHostile;
  expect_harmless(render(Format::kMarkdown, {&report, 1}));
  report = sample_sweep({.batch_sizes = {64}});
  report.groups.front().group = kHostile;
  expect_harmless(render(Format::kMarkdown, {&report, 1}));
}

TEST(Markdown, ShowsTheMachineAndEveryAttemptTheConsoleItsCost) {
  Report report = sample_report(2, true);
  const auto telemetry = [&](const char* run, double low, double high, const char* device) {
    report.telemetry.push_back(
        {run, "n2", {"sm_clock_MHz", device, 2, (low + high) / 2, low, high, low, high, {}, 2}});
  };
  telemetry("p0.r1", 900, 1000, "cuda:1");
  telemetry("p0.r2", 1500, 2100, "cuda:2");
  const std::string page = render(Format::kMarkdown, {&report, 1});
  EXPECT_NE(page.find("| SM clock | 900 MHz | 950 MHz to 1,800 MHz | 2,100 MHz | "
                      "p0.r1, n2 cuda:1 | p0.r2, n2 cuda:2 |"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("p0.r0: 9.50 (shared: n1: other processes used 1.00 CPUs); then 12.50"),
            std::string::npos);
  EXPECT_NE(page.find("p1.r0: failed (rank 1: E_NET); then failed (out of memory)"),
            std::string::npos);
  const std::string console = render_console({&report, 1});
  EXPECT_EQ(console.find("SM clock"), std::string::npos);
  EXPECT_NE(console.find("watching the run took 0.030 % of one core at most"), std::string::npos);
}

TEST(Markdown, ANameIsNoMarkupInAComparison) {
  Comparison comparison;
  comparison.files = {{"old.json"}, {"new.json"}};
  comparison.sessions = {1, 1};
  ComparedPoint& point = comparison.points.emplace_back();
  point.group = "g";
  point.against.emplace_back().change.change = statistics::Change::kSlower;
  EXPECT_NE(comparison_markdown(comparison).find("| slower |"), std::string::npos);
  for (std::string* name : {&point.group, &comparison.files[0][0]}) {
    const std::string before = std::exchange(*name, kHostile);
    expect_harmless(comparison_markdown(comparison));
    *name = before;
  }
  point.against[0].reason = kHostile;
  expect_harmless(comparison_markdown(comparison));
  point.against[0].reason.clear();
  comparison.differences = {{"data of g", {kHostile, "synthetic"}}};
  expect_harmless(comparison_markdown(comparison));
}

TEST(TextTable, ALineEndInANameBreaksNoRow) {
  EXPECT_EQ(set_text({{{"a"}, true, {"x\ny", "z"}}}), "a\nx y\nz\n");
}

}  // namespace
}  // namespace scalemark::reporting
