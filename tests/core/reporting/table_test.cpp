#include "core/reporting/table/table.h"

#include <gtest/gtest.h>

#include <sstream>

#include "core/reporting/table/baseline.h"
#include "core/reporting/table/text_table.h"
#include "tests/core/reporting/sample_report.h"

namespace scalemark::reporting {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SpeedUp, AgainstTheOneRankPointOfTheSameSettings) {
  PointRecord one = sample_point(1), two = sample_point(2), other = sample_point(1);
  one.samples_per_sec = 10;
  two.samples_per_sec = 15;
  other.samples_per_sec = 1;
  other.threads = 7;  // not comparable
  const PointRecord* points[] = {&one, &two, &other};
  const auto found = speed_up(two, points);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baseline, &one);
  EXPECT_DOUBLE_EQ(found->speedup, 1.5);
  EXPECT_DOUBLE_EQ(found->efficiency, 0.75);
  EXPECT_FALSE(found->strong);

  const PointRecord* without[] = {&two, &other};
  EXPECT_FALSE(speed_up(two, without));
}

TEST(SpeedUp, IsNeverClippedAndPrefersStrategyNone) {
  PointRecord ddp = sample_point(1), none = sample_point(1), two = sample_point(2);
  ddp.strategy = "ddp";
  none.samples_per_sec = 10;
  two.samples_per_sec = 30;
  const PointRecord* points[] = {&none, &ddp, &two};
  EXPECT_EQ(speed_up(two, points)->baseline, &none);
  EXPECT_DOUBLE_EQ(speed_up(two, points)->efficiency, 1.5);
}

TEST(SpeedUp, StrongWhenTheGlobalBatchAgrees) {
  PointRecord one = sample_point(1), two = sample_point(2);
  one.batch_size = one.global_batch_size = 16;
  const PointRecord* points[] = {&one, &two};
  EXPECT_TRUE(speed_up(two, points)->strong);
  one.global_batch_size = 17;
  EXPECT_FALSE(speed_up(two, points));
}

TEST(Table, TwoReportsInOneTable) {
  std::vector<Report> reports = {sample_report(1, false), sample_report(2, false)};
  reports[0].points[0].samples_per_sec = reports[0].points[0].samples_per_sec_per_rank = 29.4;
  reports[1].points[0].samples_per_sec = 44.1;
  reports[1].points[0].samples_per_sec_per_rank = 22.05;
  reports[0].findings = {{"x", "info", "p0.r0", "one run"}};
  reports[1].findings = {{"x", "info", "p0.r0", "one run"}, {"y", "warning", "p0.r0", "slow"}};
  const auto text = render_table(reports);
  EXPECT_TRUE(contains(text, "resnet50, 64 px, fp32, batch 8 per rank, 1 thread per rank, cpu"))
      << text;
  EXPECT_TRUE(contains(text, "1      1  none       29.40     29.40       -    1.00   100.0\n"))
      << text;
  EXPECT_TRUE(contains(text, "2      2  ddp        44.10     22.05       -    1.50    75.0\n"))
      << text;
  EXPECT_TRUE(contains(text, "- speed-up and efficiency against row 1 (strategy none)")) << text;
  EXPECT_TRUE(contains(text, "- row 1, 2: one run\n")) << text;
  EXPECT_TRUE(contains(text, "- row 2: warning: slow\n")) << text;
  EXPECT_TRUE(contains(text, "6.9 -> 5.5")) << text;
  // Waits for the slower of two ranks, and the network; one rank has neither.
  EXPECT_TRUE(contains(text, "peer  network ")) << text;
  EXPECT_TRUE(contains(text, "wait %        %  wait %")) << text;
  EXPECT_TRUE(contains(text, "     8.8      8.8     3.5 ")) << text;
  EXPECT_TRUE(contains(text, "       -        -     3.9 ")) << text;
}

TEST(Table, IsAtMostAHundredColumnsWideWhateverVaries) {
  std::vector<Report> reports = {sample_report(1, false), sample_report(2, true)};
  auto& point = reports[1].points[0];
  point.workload = "bert-large";
  point.precision = "amp-bf16";
  point.batch_size = 1024;
  point.threads = 64;
  point.samples_per_sec = 123456;
  point.samples_per_sec_per_rank = 61728;
  for (auto& report : reports) {  // these vary between machines, not within a table
    for (auto& p : report.points) p.device_name = "", p.image_size = 64;
  }
  std::istringstream lines(render_table(reports));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Table, FailuresAreRowsAndNotes) {
  auto report = sample_report(2, true);
  report.status = ReportStatus::kInterrupted;
  report.exit_code = 75;
  const auto text = render_table({&report, 1});
  EXPECT_TRUE(contains(text, "oom")) << text;
  EXPECT_TRUE(contains(text, "- row 2: oom, out of memory")) << text;
  EXPECT_TRUE(contains(text, "is interrupted (exit 75)")) << text;
  EXPECT_TRUE(contains(text, "E_BAD_DATA (exit 65)")) << text;
  EXPECT_TRUE(contains(text, "evaluation of row 1")) << text;
  EXPECT_TRUE(contains(text, "top-1 %")) << text;
}

TEST(Table, AnEmptyReportSaysSo) {
  Report report;
  EXPECT_TRUE(contains(render_table({&report, 1}), "no points were measured"));
}

TEST(Table, Markdown) {
  const auto report = sample_report(1, false);
  const auto text = render_table({&report, 1}, TableFormat::kMarkdown);
  EXPECT_TRUE(contains(text, "| ---: |")) << text;
}

TEST(TextTable, AlignsByCharactersAndEscapesMarkdown) {
  const std::vector<Column> columns = {{{"a"}, true, {"\xC3\xA4\xC3\xB6", "x|y"}},
                                       {{"two", "lines"}, false, {"1", "22"}}};
  EXPECT_EQ(set_text(columns), "       two\na    lines\n\xC3\xA4\xC3\xB6       1\nx|y     22\n");
  EXPECT_EQ(set_markdown(columns),
            "| a | two lines |\n| --- | ---: |\n| \xC3\xA4\xC3\xB6 | 1 |\n| x\\|y | 22 |\n");
}

}  // namespace
}  // namespace scalemark::reporting
