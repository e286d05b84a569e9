#include "report/say/table/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <utility>

#include "report/judge/point/assemble.h"
#include "report/say/table/parts.h"
#include "report/say/table/text_table.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A sweep's progress names its runs so.
TEST(TraitsApart, NameWhatTellsAPointFromTheOthers) {
  PointRecord one = sample_point(1), two = sample_point(2), alone = sample_point(2);
  one.strategy = alone.strategy = "none";
  const std::vector<const PointRecord*> ranks{&one, &two, &alone};
  EXPECT_EQ(traits_apart(one, ranks), "1 rank");
  EXPECT_EQ(traits_apart(two, ranks), "2 ranks");
  EXPECT_EQ(traits_apart(alone, ranks), "2 ranks, no exchange");
  EXPECT_EQ(traits_apart(two, {&two}), "2 ranks");

  PointRecord flat = two;
  flat.strategy = "flat_allreduce";
  EXPECT_EQ(traits_apart(flat, {&one, &two, &flat}), "2 ranks, flat_allreduce");
  PointRecord large = two;
  large.batch_size = 4096;
  large.varying = {{"bucket_cap_mb", "100"}, {"image_size", "64"}};
  EXPECT_EQ(traits_apart(large, {&two, &large}), "batch 4096, bucket_cap_mb 100");
}

TEST(SpeedUp, AgainstTheOneRankPointOfTheSameSettings) {
  PointRecord one = sample_point(1), two = sample_point(2), other = sample_point(1);
  one.samples_per_sec = 10;
  two.samples_per_sec = 15;
  other.samples_per_sec = 1;
  other.threads = 7;  // this makes it not comparable
  const PlacedPoint points[] = {{&one, ""}, {&two, ""}, {&other, ""}};
  const auto found = speed_up(two, points);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baselines, std::vector<const PointRecord*>{&one});
  EXPECT_DOUBLE_EQ(*found->speedup, 1.5);
  EXPECT_DOUBLE_EQ(*found->efficiency, 0.75);
  EXPECT_FALSE(found->strong);

  const PlacedPoint without[] = {{&two, ""}, {&other, ""}};
  EXPECT_FALSE(speed_up(two, without));
}

TEST(SpeedUp, IsNeverClippedAndPrefersStrategyNone) {
  PointRecord ddp = sample_point(1), none = sample_point(1), two = sample_point(2);
  ddp.strategy = "ddp";
  none.samples_per_sec = 10;
  two.samples_per_sec = 30;
  const PlacedPoint points[] = {{&none, ""}, {&ddp, ""}, {&two, ""}};
  EXPECT_EQ(speed_up(two, points)->baselines, std::vector<const PointRecord*>{&none});
  EXPECT_DOUBLE_EQ(speed_up(two, points)->efficiency.value(), 1.5);
}

TEST(SpeedUp, StrongWhenTheGlobalBatchAgrees) {
  PointRecord one = sample_point(1), two = sample_point(2);
  one.batch_size = one.global_batch_size = 16;
  const PlacedPoint points[] = {{&one, ""}, {&two, ""}};
  EXPECT_TRUE(speed_up(two, points)->strong);
  one.global_batch_size = 17;
  EXPECT_FALSE(speed_up(two, points));
}

// A report of one CPU and a point on that one, or on another.
Report on_cpu(int ranks, const std::string& host, const std::string& cpu) {
  Report report = sample_report(ranks, false);
  report.environment.hosts.resize(1);
  report.environment.hosts[0].hostname = host;
  report.environment.hosts[0].cpu = cpu;
  report.points[0].device = "cpu";
  for (auto& rank : report.points[0].ranks) rank.host = host;
  return report;
}

TEST(SpeedUp, IsNotAgainstAnotherCpu) {
  const Report one = on_cpu(1, "a", "Made Up 9000"), two = on_cpu(2, "b", "Made Up 9000"),
               other = on_cpu(2, "c", "Made Up 7");
  const PlacedPoint points[] = {placed(one, one.points[0]), placed(two, two.points[0]),
                                placed(other, other.points[0])};
  EXPECT_EQ(points[0].machine, "Made Up 9000");
  EXPECT_TRUE(speed_up(two.points[0], points)) << "another machine of the same kind";
  EXPECT_FALSE(speed_up(other.points[0], points));
}

TEST(SpeedUp, IsNotAgainstAnotherHostWhereNoModelIsKnown) {
  const Report one = on_cpu(1, "a", ""), two = on_cpu(2, "a", ""), other = on_cpu(2, "b", "");
  const PlacedPoint points[] = {placed(one, one.points[0]), placed(two, two.points[0]),
                                placed(other, other.points[0])};
  EXPECT_TRUE(speed_up(two.points[0], points));
  EXPECT_FALSE(speed_up(other.points[0], points));
}

PointRecord with_interval(PointRecord point, double rate, double share) {
  point.samples_per_sec = rate;
  point.within_run_ci95.low = rate * (1 - share);
  point.within_run_ci95.high = rate * (1 + share);
  return point;
}

TEST(SpeedUp, IsAtLeastAsUncertainAsBothRuns) {
  const auto one = with_interval(sample_point(1), 10, 0.03),
             two = with_interval(sample_point(2), 15, 0.04);
  const PlacedPoint points[] = {{&one, ""}, {&two, ""}};
  EXPECT_NEAR(speed_up(two, points)->at_least.value(), 0.05, 1e-12);
  EXPECT_FALSE(speed_up(one, points)->at_least) << "against itself it is exact";
  const PlacedPoint three[] = {{&one, ""}, {&two, ""}, {&one, ""}, {&one, ""}};
  EXPECT_NEAR(speed_up(two, three)->at_least.value(), std::hypot(0.04, 0.03 / std::sqrt(3)), 1e-12);
  PointRecord short_one = one;
  short_one.within_run_ci95.low.reset();
  const PlacedPoint unknown[] = {{&short_one, ""}, {&two, ""}};
  EXPECT_FALSE(speed_up(two, unknown)->at_least);
}

TEST(Table, AnUnsteadyWindowGivesTwoDigits) {
  std::vector<Report> reports = {sample_report(1, false), sample_report(2, false)};
  reports[0].points[0] = with_interval(reports[0].points[0], 15.17, 0.028);
  reports[1].points[0] = with_interval(reports[1].points[0], 21.99, 0.081);
  EXPECT_TRUE(contains(render_table(reports), "   1.45   72.5   8.6\n")) << render_table(reports);
  reports[1].points[0].steady = false;
  const auto text = render_table(reports);
  EXPECT_TRUE(contains(text, "   ~1.4    ~72   8.6\n")) << text;
  EXPECT_TRUE(contains(text, "   1.00  100.0     -\n")) << "against itself it is exact" << text;
  EXPECT_TRUE(contains(text, "- row 2: ~ of a window that was not steady: two digits\n")) << text;
}

// Each rank is the slower one in every other step: the mean of each step's longest is no T.
TEST(Table, RateTimesStepIsTheSamplesOfAStep) {
  Report report = sample_report(2, false);
  auto ranks = sample_measurements(2, 40);
  for (std::size_t t = 0; t < 40; t += 2)
    std::swap(ranks[0].series.step_s[t], ranks[1].series.step_s[t]);
  for (auto& rank : ranks)
    rank.record.wall_s = std::accumulate(rank.series.step_s.begin(), rank.series.step_s.end(), 0.0);
  report.points[0] = assemble_point(report.points[0], ranks);
  const auto& point = report.points[0];
  EXPECT_NEAR(point.samples_per_sec * point.step_time_s.value(), 16, 1e-9);
  EXPECT_GT(point.samples_per_sec * point.step_s.mean, 17);
  char step_ms[32];
  std::snprintf(step_ms, sizeof step_ms, "  %.1f  ", 1000 * *point.step_time_s);
  EXPECT_TRUE(contains(render_table({&report, 1}), step_ms)) << render_table({&report, 1});
}

TEST(Table, SoloRunsShowTheirDevices) {
  Report report = sample_report(2, true);
  const auto text = render_table({&report, 1});
  EXPECT_TRUE(contains(text, "Devices, each by itself (no exchange)\n\n")) << text;
  EXPECT_TRUE(contains(text, "-6.0 to -4.0")) << text;
}

TEST(TextTable, TwoDigits) {
  EXPECT_EQ(two_digits(1.449), "~1.4");
  EXPECT_EQ(two_digits(1), "~1.0");
  EXPECT_EQ(two_digits(9.97), "~10");
  EXPECT_EQ(two_digits(72.49), "~72");
  EXPECT_EQ(two_digits(99.6), "~100");
  EXPECT_EQ(two_digits(1234), "~1,200");
  EXPECT_EQ(two_digits(0.0449), "~0.045");
  EXPECT_EQ(two_digits(0), "~0");
}

TEST(SpeedUp, EqualBaselinesCountTogether) {
  PointRecord first = sample_point(1), second = sample_point(1), two = sample_point(2);
  first.samples_per_sec = 8;
  second.samples_per_sec = 12.5;
  two.samples_per_sec = 15;
  const PlacedPoint points[] = {{&first, ""}, {&two, ""}, {&second, ""}};
  const auto found = speed_up(two, points);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->baselines, (std::vector<const PointRecord*>{&first, &second}));
  EXPECT_NEAR(*found->speedup, 1.5, 1e-12);  // the baseline is sqrt(8 x 12.5) = 10
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
  EXPECT_TRUE(contains(text, "1      1  no exchange   29.40  29.40     -   1.00  100.0     -\n"))
      << text;
  EXPECT_TRUE(contains(text, "2      2  ddp           44.10  22.05     -   1.50   75.0     -\n"))
      << text;
  EXPECT_TRUE(contains(text, "- speed-up and efficiency against row 1 (no exchange)")) << text;
  EXPECT_TRUE(contains(text, "- row 1, 2: one run\n")) << text;
  EXPECT_TRUE(contains(text, "- row 2: warning: slow\n")) << text;
  EXPECT_FALSE(contains(text, "loss")) << "of made-up data\n" << text;
  reports[1].points[0].data = "photos";
  EXPECT_TRUE(contains(render_table(reports), "6.9 -> 5.5"));
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

TEST(Table, ACellOfCsvIsNoFormula) {
  for (const char* cell : {"=1+1", "@SUM(1)", "+cmd|x", "-2+3+cmd|' /C calc'!D2", "\t=1", "-rf",
                           "\xEF\xBC\x9D"
                           "1"}) {
    EXPECT_EQ(csv_cell(cell).find_first_of("'"), csv_cell(cell).starts_with('"') ? 1u : 0u) << cell;
  }
  for (const char* cell :
       {"", "-", "-0.5", "+3", "1e-9", "-4.00 to +4.00", "-12.4 %", "mlp-w2", "a=b"})
    EXPECT_EQ(csv_cell(cell), cell);
  EXPECT_EQ(csv_cell("=a,b"), "\"'=a,b\"");
}

}  // namespace
}  // namespace scalemark::reporting
