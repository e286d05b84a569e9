#include "core/reporting/render/sweep_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/reporting/render/sweep_sections.h"
#include "tests/core/reporting/sample_sweep.h"

namespace scalemark::reporting {
namespace {

using Fixed = std::map<std::string, std::string>;

ScalingTable table(const char* kind, Fixed fixed) {
  ScalingTable table;
  table.kind = kind;
  table.fixed = std::move(fixed);
  return table;
}

TEST(SliceText, NamesTheSizeAndWhatTellsItFromTheOthers) {
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
  ASSERT_EQ(section->lines.size(), 4u);  // of batch 512: none and ddp on 1, ddp on 2
  EXPECT_TRUE(
      section->lines[0].ends_with(": oom in 3 runs, rank 0 asked for 1.53 GiB more than there is"))
      << section->lines[0];
  EXPECT_EQ(section->lines[3], "g33: skipped, 33 is no multiple of 2");
  const auto words = summary_in_words(report);
  EXPECT_EQ(std::ranges::count(words, "3 points without a result."), 1);
  EXPECT_EQ(std::ranges::count(words, "Nothing to warn of."), 0);
}

TEST(SweepSections, SayNothingOfTheUnmeasuredWhenAllWasMeasured) {
  EXPECT_EQ(titled(sweep_sections(sample_sweep({.batch_sizes = {64}})), "Not measured"), nullptr);
}

const Column& headed(const Section& section, const std::string& head) {
  for (const Column& column : section.columns) {
    if (column.head.front() == head) return column;
  }
  throw std::out_of_range(head);
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

}  // namespace
}  // namespace scalemark::reporting
