#include "report/say/words/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "core/base/text.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"
#include "report/say/explain/explain.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/figures/plot.h"
#include "report/say/render/render.h"
#include "report/say/render/sections/sweep_sections.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_sweep.h"

namespace scalemark::reporting {
namespace {

using Fixed = std::map<std::string, std::string>;

ScalingTable table(const char* kind, Fixed fixed) {
  ScalingTable table;
  table.kind = kind;
  table.fixed = std::move(fixed);
  return table;
}

TEST(PaymentInWords, FollowsTheIntervalOfTheSpeedUp) {
  ScalingRow row{.world_size = 2, .points = {"a", "b", "c"}, .speedup = 1.4, .efficiency = 0.7};
  row.efficiency_ci95 = {0.64, 0.77};
  EXPECT_EQ(
      payment_in_words(row),
      "2 ranks give 1.40x of the 2.00x that would be ideal: efficiency 70 % (95 %: 64 to 77), "
      "so they are faster than one rank");
  row.efficiency_ci95 = {0.45, 0.77};
  EXPECT_TRUE(payment_in_words(row).ends_with(": whether they are faster than one rank is open"));
  row.efficiency_ci95 = {0.40, 0.49};
  EXPECT_TRUE(payment_in_words(row, "one rank of 1 thread")
                  .ends_with(", so they are slower than one rank of 1 thread"));
  row = {.world_size = 2, .points = {"a"}, .speedup = 1.4, .efficiency = 0.7, .at_least = 0.1};
  EXPECT_EQ(
      payment_in_words(row),
      "2 ranks give 1.40x of the 2.00x that would be ideal: efficiency 70 % (one run), so they "
      "are faster than one rank");
  row.at_least = 0.3;
  EXPECT_TRUE(payment_in_words(row).ends_with("open")) << "the steps of one run differ by more";
  row.at_least.reset();
  EXPECT_TRUE(payment_in_words(row).ends_with("open"));
}

TEST(SliceText, NamesTheSizeAndWhatDistinguishesItFromTheOthers) {
  const std::vector<ScalingTable> tables{
      table("weak", {{"batch_size", "8"}, {"precision", "fp32"}, {"workload", "mlp"}}),
      table("weak", {{"batch_size", "8"}, {"precision", "fp32"}, {"workload", "linear"}}),
      table("strong-by-batch",
            {{"global_batch_size", "64"}, {"precision", "fp32"}, {"workload", "mlp"}})};
  EXPECT_EQ(slice_text(tables[0], tables), "weak, batch size 8, workload mlp");
  EXPECT_EQ(slice_text(tables[1], tables), "weak, batch size 8, workload linear");
  EXPECT_EQ(slice_text(tables[2], tables), "strong-by-batch, global batch size 64, workload mlp");
}

TEST(SliceText, OfAnOnlySliceIsItsSize) {
  const std::vector<ScalingTable> tables{
      table("weak", {{"batch_size", "32"}, {"precision", "fp32"}, {"workload", "mlp"}})};
  EXPECT_EQ(slice_text(tables[0], tables), "weak, batch size 32");
}

const Section* titled(const std::vector<Section>& sections, const std::string& title) {
  for (const Section& section : sections) {
    if (section.title == title) return &section;
  }
  return nullptr;
}

TEST(SweepSections, TitlesOfScalingTablesAreNeverEqual) {
  std::set<std::string> titles;
  const auto report = sample_sweep({.batch_sizes = {64, 128}, .real_data = true});
  for (const Section& section : sweep_sections(report)) {
    EXPECT_TRUE(titles.insert(section.title).second) << section.title;
  }
}

TEST(SweepSections, WhatWasNotMeasuredStandsOnceWithItsReason) {
  Report report = sample_sweep({.world_sizes = {1, 2},
                                .batch_sizes = {256, 512},
                                .repetitions = 3,
                                .slow_rank = std::nullopt,
                                .solo = false,
                                .real_data = false});
  PointRecord skipped = report.points.front();
  skipped.group = "g33";
  skipped.status = PointStatus::kSkipped;
  skipped.reason = "33 is no multiple of 2";
  report.points.push_back(skipped);
  const auto sections = sweep_sections(report);
  const Section* section = titled(sections, "Not measured");
  ASSERT_NE(section, nullptr);
  ASSERT_EQ(section->lines.size(), 4u);  // batch 512 (none and ddp on 1, ddp on 2) and g33
  EXPECT_TRUE(
      section->lines[0].ends_with(": oom in 3 runs, rank 0 asked for 1.53 GiB more than there is"))
      << section->lines[0];
  EXPECT_EQ(section->lines[3], "g33: skipped, 33 is no multiple of 2");
  const auto words = summary_in_words(report);
  EXPECT_EQ(std::ranges::count(words, "3 points without a result."), 1);
}

// One point of five runs.
Report report_with(std::optional<bool> steady, std::optional<double> bias_bound) {
  Report report;
  report.groups.push_back({.group = "g",
                           .n = 5,
                           .steady = steady,
                           .bias_bound = bias_bound,
                           .status_counts = {{"ok", 5}}});
  return report;
}

// Five runs that nothing speaks against.
Report quiet_report() {
  Report report = report_with(true, 0.004);
  report.status = ReportStatus::kComplete;
  PointRecord run;
  run.group = "g";
  run.steady = true;
  run.iterations = 1000;
  run.wall_s = 100;
  report.points.assign(5, run);
  return report;
}

TEST(SummaryInWords, TheLastSentenceSaysWhetherTheNumbersMayBeQuoted) {
  Report report = quiet_report();
  EXPECT_EQ(summary_in_words(for_people(report)).back(), "Quotable.");
  report.groups.front().steady.reset();
  report.groups.front().bias_bound = 0.021;
  const std::string unknown = summary_in_words(for_people(report)).back();
  EXPECT_TRUE(unknown.starts_with("Quote with care: ")) << unknown;
  EXPECT_NE(unknown.find("2.1 %"), std::string::npos) << unknown;
}

// Numbers that are to be quoted with care have something to warn of, whether or not it is a
// finding.
TEST(SummaryInWords, NamesADoubtThatIsNoFinding) {
  Report report = quiet_report();
  report.points.resize(1);
  report.groups.front().n = 2;
  report.groups.front().status_counts = {{"ok", 2}};
  const auto words = summary_in_words(for_people(report));
  EXPECT_TRUE(std::ranges::any_of(words, [](const std::string& sentence) {
    return sentence.find("how much runs differ is") != std::string::npos;
  })) << words.back();
}

bool mentions_a_trend(const Drift& drift) {
  Report report = report_with(true, 0.004);
  report.drift = drift;
  return std::ranges::any_of(summary_in_words(report), [](const std::string& sentence) {
    return sentence.find("trend") != std::string::npos;
  });
}

TEST(SummaryInWords, ATrendIsNamedWhereItsIntervalExcludesNone) {
  EXPECT_TRUE(mentions_a_trend({-0.288, -0.35, -0.2, {}}));
  EXPECT_TRUE(mentions_a_trend({0.02, 0.01, 0.03, {}}));
  EXPECT_FALSE(mentions_a_trend({-0.01, -0.02, 0.005, {}}));
  EXPECT_FALSE(mentions_a_trend({-0.288, -0.35, -0.2, 0.5})) << "correlated runs wander";
  EXPECT_FALSE(mentions_a_trend({-0.288, {}, {}}));
}

TEST(SummaryInWords, OfAnEarlierVersionTheRunsShowWhatIsUnknown) {
  Report report = quiet_report();
  report.groups.front().steady.reset();
  report.groups.front().bias_bound.reset();
  EXPECT_EQ(summary_in_words(for_people(report)).back(), "Quotable.");
  report.points.back().steady.reset();
  const std::string last = summary_in_words(for_people(report)).back();
  EXPECT_TRUE(last.starts_with("Quote with care: ")) << last;
}

TEST(SweepSections, SayNothingOfTheUnmeasuredWhenAllWasMeasured) {
  EXPECT_EQ(titled(sweep_sections(sample_sweep({.batch_sizes = {64}})), "Not measured"), nullptr);
}

// The column whose head begins with this line, or is these two.
const Column& headed(const Section& section, const std::string& head,
                     const std::string& second = "") {
  for (const Column& column : section.columns) {
    if (column.head.front() != head) continue;
    if (second.empty() || column.head.back() == second) return column;
  }
  throw std::out_of_range(head);
}

TEST(SweepSections, WhereVarianceComesFromStandsUnderTheGroups) {
  Report report = sample_sweep({.batch_sizes = {64}});
  GroupRecord& wide = report.groups[2];
  wide.ci95.low = 1;
  wide.ci95.high = 1e5;
  wide.variance = VarianceRecord{.between_runs = 0.009,
                                 .steps = 0.002,
                                 .beyond_steps = 0.00877,
                                 .beyond_steps_ci95 = {0.005, 0.026},
                                 .window_s = 2.2,
                                 .buy = statistics::ReplicationLevel::kRuns,
                                 .in_words = "runs differ by 0.9 %"};
  const auto sections = sweep_sections(report);
  const Section* section = titled(sections, "Where variance comes from");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(headed(*section, "by steps").cells.at(2), "0.20");
  EXPECT_EQ(headed(*section, "95 %").cells.at(2), "0.50 to 2.60");
  EXPECT_EQ(headed(*section, "besides").cells.at(2), "-");
  EXPECT_EQ(headed(*section, "to buy").cells.at(2), "more runs");
  EXPECT_EQ(section->lines.back(), "widest interval, " + wide.group + ": runs differ by 0.9 %");
  for (const Column& column : section->columns) EXPECT_NE(column.head.front(), "sessions");
  wide.variance->sessions = 0.02;
  const auto with_sessions = sweep_sections(report);
  EXPECT_EQ(headed(*titled(with_sessions, section->title), "sessions").cells.at(2), "2.00");
  for (GroupRecord& group : report.groups) group.variance.reset();
  EXPECT_EQ(titled(sweep_sections(report), "Where variance comes from"), nullptr);
}

TEST(SweepSections, CommunicationCostOverRepetitions) {
  Report report = sample_sweep({.batch_sizes = {64}});
  EXPECT_EQ(titled(sweep_sections(report), "Communication cost over repetitions"), nullptr);
  report.groups[1].communication = GroupCommunication{
      .cost_s = 0.0021, .efficiency = 0.875, .cost_ci95 = {0.0019, 0.0023}, .efficiency_ci95 = {}};
  const auto sections = sweep_sections(report);
  const Section* section = titled(sections, "Communication cost over repetitions");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(headed(*section, "point").cells, std::vector{report.groups[1].group});
  EXPECT_EQ(headed(*section, "cost").cells.at(0), "2.10");
  EXPECT_EQ(headed(*section, "95 %").cells.at(0), "1.90 to 2.30");
  EXPECT_EQ(headed(*section, "contention").cells.at(0), "-");
  EXPECT_EQ(headed(*section, "comm.").cells.at(0), "87.5");
}

// D_r is a difference of logarithms: exp(0.5) - 1 = 64.9 %.
TEST(SweepSections, AStragglersDeviationIsShownAsAShareOfTheOthersTime) {
  Report report = sample_sweep({.batch_sizes = {64}});
  report.stragglers = {{"g", 3, "n1", "cuda:3", 0.5, 0.4, 5, 5, RankVerdict::kStraggler},
                       {"g", 2, "n1", "cuda:2", -0.1, {}, 5, 0, RankVerdict::kWithinNoise}};
  const auto sections = sweep_sections(report);
  const Section* section = titled(sections, "Ranks that stand out");
  ASSERT_NE(section, nullptr);
  EXPECT_EQ(headed(*section, "slower").cells, (std::vector<std::string>{"64.9", "-9.5"}));
  EXPECT_EQ(headed(*section, "at least").cells, (std::vector<std::string>{"49.2", "-"}));
}

Report one_of_each() {
  Report report = sample_sweep({.batch_sizes = {64}, .repetitions = 1});
  ScalingRow& row = report.scaling.at(0).rows.at(2);
  row.at_least = 0.086;
  row.efficiency = 0.723;
  row.speedup = 1.446;
  return report;
}

TEST(SweepSections, OneRunAloneIsAtLeastAsUncertainAsItsSteps) {
  const auto sections = sweep_sections(one_of_each());
  const Section* scaling = titled(sections, "Scaling, weak, batch size 64");
  ASSERT_NE(scaling, nullptr);
  EXPECT_EQ(headed(*scaling, "effic.", "95 %").cells.at(2), "one run");
  EXPECT_EQ(headed(*scaling, "effic. %").cells.at(2), "72");
  const Section* points = titled(sections, "Points over their repetitions");
  EXPECT_EQ(headed(*points, "95 %").cells.at(0), "one run");
}

TEST(SweepSections, AnUnsteadyWindowGivesTwoDigits) {
  Report report = one_of_each();
  report.scaling[0].rows[2].unsteady_runs = 1;
  const auto sections = sweep_sections(report);
  const Section* scaling = titled(sections, "Scaling, weak, batch size 64");
  EXPECT_EQ(headed(*scaling, "speed-up").cells.at(2), "~1.4");
  EXPECT_EQ(headed(*scaling, "effic. %").cells.at(2), "~72");
  EXPECT_EQ(
      std::ranges::count(scaling->lines, "~: a window that was not steady went in; two digits"), 1);
}

TEST(SweepSections, ShowEveryDeviceOfSoloPoints) {
  const auto report = sample_sweep({.batch_sizes = {64}});
  const auto sections = sweep_sections(report);
  const Section* devices = titled(sections, "Devices, each by itself (no exchange)");
  ASSERT_NE(devices, nullptr);
  EXPECT_EQ(headed(*devices, "rank").cells.size(), 8u);
  EXPECT_EQ(headed(*devices, "uuid").cells.at(5), "GPU-5a1e5c1e");
  EXPECT_EQ(headed(*devices, "clock,").cells.at(5), "1980");
  EXPECT_TRUE(headed(*devices, "against").cells.at(5).starts_with("-3.")) << "4 % more time";
}

TEST(SummaryInWords, TheFastestIsNamedWithWhatItCannotBeToldApartFrom) {
  Report report = sample_sweep({.batch_sizes = {64}});
  report.fastest = FastestPoint{report.groups[0].group, {"a", "b", "c", "d", "e", "f"}};
  const auto words = summary_in_words(report);
  EXPECT_TRUE(words[1].starts_with("Fastest: " + report.groups[0].group + " with ")) << words[1];
  EXPECT_TRUE(words[1].ends_with("; not distinguishable from a, b, c, d, e and 1 more."))
      << words[1];
}

TEST(SweepSections, TheBaselineAgainstItselfHasNoInterval) {
  Report report = sample_sweep({.batch_sizes = {64}});
  report.scaling.at(0).left_out = {"late"};
  const auto sections = sweep_sections(report);
  const Section* scaling = titled(sections, "Scaling, weak, batch size 64");
  ASSERT_NE(scaling, nullptr);
  const auto& intervals = headed(*scaling, "effic.", "95 %").cells;
  EXPECT_EQ(intervals.at(0), "baseline");
  EXPECT_EQ(headed(*scaling, "effic.", "min to max").cells.at(0), "-");
  EXPECT_EQ(std::ranges::count(intervals, "baseline"), 1);
  EXPECT_EQ(std::ranges::count(scaling->lines, "left out: 1 run, baseline in another session"), 1);
}

TEST(SummaryInWords, OfTrainCountsItsRuns) {
  Report report = sample_report(2, false);
  EXPECT_EQ(summary_in_words(report).front(), "1 run, 1 measured.");
  report.points.at(0).status = PointStatus::kOom;
  EXPECT_EQ(summary_in_words(report).front(), "1 run, 0 measured.");
}

TEST(SummaryInWords, OneRunSeesOneState) {
  const auto words = summary_in_words(sample_sweep({.batch_sizes = {64}, .repetitions = 1}));
  EXPECT_EQ(
      std::ranges::count(words, "One run cannot show that the machine has more than one state."),
      1);
}

TEST(SummaryInWords, SayWhatSoManyRunsCannotSee) {
  const auto words = summary_in_words(sample_sweep({.batch_sizes = {64}}));
  EXPECT_EQ(std::ranges::count_if(words,
                                  [](const auto& w) {
                                    return w.starts_with(
                                        "What 5 runs of a point cannot see: a "
                                        "state of the machine that 45.1 %");
                                  }),
            1);
}

// The points of a sweep may have unequal numbers of runs; two places count them, and agree.
TEST(SummaryInWords, CountRunsAsTheAnswerDoes) {
  for (std::size_t which = 0; which < 4; ++which) {
    Report report = sample_sweep({.batch_sizes = {64}});
    ASSERT_GT(report.groups.size(), which);
    report.groups[which].n = 2;
    const std::string effort = answers_of({&report, 1}, {}, Terminal());
    EXPECT_NE(effort.find("2 to 5 runs each"), std::string::npos) << effort;
    const auto words = summary_in_words(report);
    EXPECT_TRUE(std::ranges::any_of(
        words, [](const auto& w) { return w.starts_with("What 2 runs of a point cannot see"); }));
  }
}

// Everything that a person reads of a sweep. Heads of tables stand on one line in the second text.
std::string all_texts(const Report& report) {
  const std::vector<Report> reports{report};
  const Terminal wide{.columns = 200};
  std::string text = render_console(reports) + render_markdown(reports) +
                     set_answer(answer_of(report, "out"), wide) +
                     explanation_text(explain(report, {}, {}), wide);
  for (const Plot& plot : plots_of(report)) {
    text += plot.title + ". " + plot.caption + plot.chosen + joined(plot.at.names, ", ");
    for (const PlotSeries& series : plot.series) text += series.name + "; ";
  }
  return text;
}

// An old report holds the words of its day, and is shown in today's.
TEST(Vocabulary, IsOneInEveryForm) {
  Report report = sample_sweep({});
  for (ScalingTable& table : report.scaling) {
    EXPECT_TRUE(table.relative_to.ends_with(" without communication")) << table.relative_to;
    for (ScalingRow& row : table.rows) row.in_words = "8.0x -> 6.1x: imbalance -0.6, jitter -1.3";
  }
  const std::string text = all_texts(report);
  for (const char* old : {"imbal", "jitter", "run to run", "run-to-run", "slower compute", "solo",
                          "Solo", "without exchange", "without communication", "rank alone"}) {
    const auto at = text.find(old);
    EXPECT_EQ(at, std::string::npos) << old << ": " << text.substr(at < 60 ? 0 : at - 60, 120);
  }
  for_each_loss([&](const auto& part) {
    EXPECT_NE(text.find(" " + std::string(part.name) + " |"), std::string::npos) << part.name;
    EXPECT_NE(text.find(std::string(part.name) + ";"), std::string::npos) << part.name;
  });
  for (const char* now :
       {"| 1 | no exchange |", "| 8 | no exchange |", "no exchange; ", "1 rank with no exchange"}) {
    EXPECT_NE(text.find(now), std::string::npos) << now;
  }
}

TEST(Vocabulary, DocumentsSayBothNames) {
  std::ifstream file(std::string(SCALEMARK_SOURCE_DIR) + "/docs/reference/METRICS.md");
  const std::string metrics(std::istreambuf_iterator<char>(file), {});
  for_each_loss([&](const auto& part) {
    const auto row = "| " + std::string(part.field) + " | " + part.name + " | ";
    EXPECT_NE(metrics.find(row), std::string::npos) << row;
  });
}

}  // namespace
}  // namespace scalemark::reporting
