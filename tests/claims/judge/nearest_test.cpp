#include <gtest/gtest.h>

#include <algorithm>

#include "claims/lint/inputs.h"
#include "claims/rows/mapping.h"
#include "tests/claims/judge/sample_claims.h"

namespace scalemark::claims {
namespace {

using published::Row;
using reporting::Report;

MeasuredRate resnet_on_h100(std::int64_t gpus, std::int64_t batch) {
  return {.workload = "resnet50",
          .chip = "H100 80GB HBM3",
          .precision = "amp-bf16",
          .framework = "scalemark",
          .gpus = gpus,
          .batch_size = batch,
          .sequence_length = {},
          .samples_per_sec = 2500.0 * static_cast<double>(gpus)};
}

// No row of others trains ResNet-50 in bf16: what differs is said.
TEST(Nearest, TheStandardConfigurationFindsRowsAndWhatDiffers) {
  const auto rows = published::own_library();
  const auto eight = nearest(rows, resnet_on_h100(8, 128));
  ASSERT_FALSE(eight.empty());
  EXPECT_EQ(eight[0].differs, (Texts{"amp-fp16 instead of amp-bf16", "batch 1280 instead of 128"}));
  EXPECT_EQ(eight[0].row->gpus, 8);
  EXPECT_NEAR(eight[0].per_gpu, *eight[0].row->throughput / 8, 1e-9);
  EXPECT_NEAR(eight[0].ratio, 2500 / eight[0].per_gpu, 1e-12);
  const auto own = nearest(rows, resnet_on_h100(1, 128));
  EXPECT_EQ(own[0].row->id, "pub-2296") << "our own rows are rows like others";
  EXPECT_EQ(own[0].differs, Texts{"batch 256 instead of 128"});
  EXPECT_EQ(nearest(rows, resnet_on_h100(1, 256))[0].differs, Texts{});
}

// No rate is measured by a row that lint finds impossible, whoever compares.
TEST(Nearest, ImpossibleRowsAreNoMeasure) {
  const auto rows = published::own_library();
  const auto impossible = lint::impossible_rows(rows);
  const auto left = lint::believable(rows);
  EXPECT_FALSE(impossible.empty());
  EXPECT_EQ(left.size() + impossible.size(), rows.size());
  for (const Row& row : rows) {
    if (row.id != "pub-1514" && row.id != "pub-0249" && row.id != "pub-0390") continue;
    ASSERT_TRUE(impossible.contains(row.id) && row.throughput) << row.id;
    Row own = row;
    own.id = "own";
    own.framework = "scalemark";
    const Assessment told = assess({.file = "x", .form = "table", .rows = {own}}, rows);
    for (const std::string& text : told.published)
      EXPECT_EQ(text.find(row.id), std::string::npos) << text;
  }
}

TEST(Nearest, AnotherChipNetworkTaskOrLengthIsNeverNear) {
  const auto rows = published::own_library();
  for (const NearRow& one : nearest(rows, resnet_on_h100(8, 128)))
    EXPECT_EQ(published::chip_in(one.row->system)->name, "H100 80GB HBM3") << one.row->id;
  auto other = resnet_on_h100(8, 128);
  other.chip = "H100 NVL";
  EXPECT_TRUE(nearest(rows, other).empty());
  other = resnet_on_h100(8, 128);
  other.workload = "mlp";
  EXPECT_TRUE(nearest(rows, other).empty());
  MeasuredRate bert{.workload = "bert-large",
                    .chip = "A100-SXM4-80GB",
                    .precision = "amp-fp16",
                    .framework = "scalemark",
                    .gpus = 8,
                    .batch_size = 64,
                    .sequence_length = 128,
                    .samples_per_sec = 2000};
  const auto near = nearest(rows, bert);
  ASSERT_FALSE(near.empty());
  for (const NearRow& one : near) {
    EXPECT_EQ(one.row->sequence_length.value_or(128), 128) << one.row->id;
    EXPECT_FALSE(one.row->phase && one.row->phase->starts_with("squad")) << one.row->id;
  }
}

Row row_of(const std::string& id) {
  Row row = a100_rows().back();
  row.id = id;
  row.framework = "scalemark";
  row.precision = "amp_bf16";
  row.batch_per_gpu = 128;
  row.throughput = 8000;
  return row;
}

// The order that docs/PUBLISHED.md states: each row differs in one thing, and what changes the rate
// of a GPU more is farther.
std::vector<Row> one_thing_each() {
  std::vector<Row> rows{row_of("bits"),      row_of("gpus"),  row_of("format"), row_of("batch"),
                        row_of("framework"), row_of("equal"), row_of("other")};
  rows[0].precision = "tf32";
  rows[1].gpus = 4;
  rows[2].precision = "amp_fp16";
  rows[3].batch_per_gpu = 127;
  rows[4].framework = "PyTorch";
  rows[6].precision = "bf16";  // a model that is cast
  return rows;
}

// The command that would measure it again has each trait that the rate depends on.
TEST(Nearest, ACommandRepeatsWhatARateDependsOn) {
  Pasted pasted{.file = "x", .form = "table", .rows = {row_of("own")}};
  Row& own = pasted.rows.front();
  own.conditions["image_size"] = "64";
  own.gradient_accumulation_steps = 4;
  const auto last = [&] { return assess(pasted, {}).next.back(); };
  EXPECT_NE(last().find("train --workload resnet50"), std::string::npos) << last();
  for (const char* option : {" --image-size 64", " --gradient-accumulation-steps 4"})
    EXPECT_NE(last().find(option), std::string::npos) << last();
  own.conditions.clear();
  own.workload = "bert-base";
  own.sequence_length = 512;
  EXPECT_NE(last().find(" --sequence-length 512"), std::string::npos) << last();
  pasted.repeat = "scalemark sweep --image-size 64 --world-sizes 1,2";
  EXPECT_EQ(last(), pasted.repeat) << "a report has the command itself";
}

MeasuredRate on_a100() {
  auto measured = resnet_on_h100(8, 128);
  measured.chip = "A100-SXM4-80GB";
  return measured;
}

TEST(Nearest, WhatMattersMoreForTheRateOfAGpuDecidesFirst) {
  const auto rows = one_thing_each();
  Texts ids;
  for (const NearRow& one : nearest(rows, on_a100())) ids.push_back(one.row->id);
  EXPECT_EQ(ids, (Texts{"equal", "framework", "batch", "format", "other", "gpus", "bits"}));
}

TEST(Nearest, ThingsThatTheSourceLeavesOpenAreSaid) {
  Row row = row_of("x");
  row.precision = "fp32_or_tf32";
  row.batch_per_gpu.reset();
  auto measured = on_a100();
  measured.precision = "tf32";
  EXPECT_EQ(nearest(std::vector{row}, measured)[0].differs,
            (Texts{"fp32-or-tf32 instead of tf32", "batch not stated"}));
  row.precision = "amp (submission)";
  EXPECT_EQ(nearest(std::vector{row}, on_a100())[0].differs[0],
            "amp (submission) instead of amp-bf16");
}

TEST(Nearest, RowsThatAreEquallyNearAreOneRange) {
  std::vector<Row> rows{row_of("x-1"), row_of("x-2"), row_of("x-3")};
  rows[1].throughput = 8800;
  rows[2].gpus = 4;
  const auto near = nearest(rows, on_a100());
  EXPECT_EQ(near_text(on_a100(), near),
            "resnet50, amp-bf16, batch 128, 8 x A100-SXM4-80GB: 2,500 per GPU here, 250 % to 227 % "
            "of 1,000 to 1,100 img/s published (g, x-1 and 1 more)");
  EXPECT_EQ(near_text(on_a100(), std::span(near).last(1), 3),
            "resnet50, amp-bf16, batch 128, 8 x A100-SXM4-80GB: 2,500 per GPU here (median of 3 "
            "reports), 125 % of 2,000 img/s published (g, x-3): 4 GPUs instead of 8");
}

Report report_of(double rate) {
  Report report = a100_report(1, rate);
  report.points.erase(report.points.begin());
  report.groups.erase(report.groups.begin());
  report.points[0].precision = "amp-bf16";
  report.points[0].batch_size = 128;
  report.points[0].image_size = 224;
  return report;
}

TEST(PublishedBeside, OneTrainingOfAllReportsIsOneLine) {
  const std::vector<Report> reports{report_of(8000), report_of(8800), report_of(8400)};
  const auto rows = one_thing_each();
  EXPECT_EQ(
      published_beside(rows, {&reports[0], &reports[1], &reports[2]}),
      Texts{"resnet50, amp-bf16, batch 128, 8 x A100-SXM4-80GB: 1,050 per GPU here (median of "
            "3 reports), 105 % of 1,000 img/s published (g, equal)"});
  EXPECT_TRUE(published_beside(rows, {}).empty());
  EXPECT_TRUE(published_beside({}, {&reports[0]}).empty());
  Report twice = reports[2];  // a baseline may be a row, too
  twice.groups.push_back(twice.groups.front());
  EXPECT_EQ(published_beside(rows, {&twice}).front().find("median"), std::string::npos);
}

// A source shows once, and the nearest of each training stand before what is farther.
TEST(PublishedBeside, TheNearestOfUpToThreeSourcesAreShown) {
  auto rows = one_thing_each();
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].repo = "o/" + std::to_string(i);
  rows[4].repo = rows[5].repo;
  const Report eight = report_of(8000);
  Report one = report_of(1000);
  one.points[0].world_size = 1;
  one.points[0].strategy = "none";
  Texts ids;
  for (const std::string& text : published_beside(rows, {&one, &eight}))
    ids.push_back(text.substr(text.find("128, ") + 5, 1) + text.substr(text.find("(g, ") + 4, 5));
  EXPECT_EQ(ids, (Texts{"8equal", "1gpus)", "8batch", "1equal", "8forma", "1batch"}));
}

// A run of judge shows the same groups, and says of no other work where it stands.
TEST(Nearest, RowsOfAReportAreThoseThatCount) {
  Report report = report_of(8000);
  ASSERT_EQ(rows_measured(report).size(), 1u);
  EXPECT_EQ(rate_of(rows_measured(report)[0])->samples_per_sec, 8000);
  EXPECT_EQ(rate_of(rows_measured(report)[0])->batch_size, 128);
  report.points[0].image_size = 64;
  ASSERT_EQ(rows_measured(report).size(), 1u);
  EXPECT_EQ(rows_measured(report)[0].throughput, 8000);
  EXPECT_FALSE(rate_of(rows_measured(report)[0]));
  report.points[0].image_size = 224;
  report.points[0].task = "classify";
  EXPECT_FALSE(rate_of(rows_measured(report)[0]));
  report.points[0].task.clear();
  report.points[0].world_size = 0;
  EXPECT_TRUE(rows_measured(report).empty());
  Row row = row_of("x");
  row.untestable = "parallelism";
  EXPECT_TRUE(rate_of(row)) << "a split model is as much work";
  row.untestable = "meaningless";
  EXPECT_FALSE(rate_of(row));
}

TEST(PublishedBeside, AReportOfTrainHasRunsAndNoGroups) {
  Report report = report_of(0);
  report.groups.clear();
  report.points[0].samples_per_sec = 8400;
  EXPECT_EQ(published_beside(one_thing_each(), {&report}),
            Texts{"resnet50, amp-bf16, batch 128, 8 x A100-SXM4-80GB: 1,050 per GPU here, 105 % of "
                  "1,000 img/s published (g, equal)"});
  report.points[0].standing.level = reporting::kWithheld;
  EXPECT_TRUE(published_beside(one_thing_each(), {&report}).empty());
  report.points[0].standing = {};
  report.points[0].status = reporting::PointStatus::kFailed;
  EXPECT_TRUE(published_beside(one_thing_each(), {&report}).empty());
}

TEST(NearestPublished, IsOneLineForAChipAndNoneForACpu) {
  Report report = report_of(8400);
  const std::string line = nearest_published({&report, 1});
  EXPECT_EQ(line, published_beside(published::own_library(), {&report}).front());
  EXPECT_TRUE(
      line.starts_with("resnet50, amp-bf16, batch 128, 8 x A100-SXM4-80GB: 1,050 per GPU "
                       "here, "))
      << line;
  report.points[0].device_name.clear();
  EXPECT_EQ(nearest_published({&report, 1}), "");
  EXPECT_EQ(nearest_published({}), "");
}

TEST(PublishedBeside, WhatIsNoSuchTrainingHasNoLine) {
  const auto rows = one_thing_each();
  const auto lines_of = [&](void (*change)(Report&)) {
    Report report = report_of(8000);
    change(report);
    return published_beside(rows, {&report}).size();
  };
  EXPECT_EQ(lines_of([](Report&) {}), 1u);
  EXPECT_EQ(lines_of([](Report& r) { r.scaled_down.resize(1); }), 0u);
  EXPECT_EQ(lines_of([](Report& r) { r.groups[0].standing.level = reporting::kWithheld; }), 0u);
  EXPECT_EQ(lines_of([](Report& r) { r.points[0].image_size = 64; }), 0u);
  EXPECT_EQ(lines_of([](Report& r) { r.points[0].strategy = "none"; }), 0u) << "each by itself";
  EXPECT_EQ(lines_of([](Report& r) { r.points[0].device_name += " MIG 1g.10gb"; }), 0u);
  EXPECT_EQ(lines_of([](Report& r) { r.points[0].device_name = "a GPU"; }), 0u);
  for (const double rate : {0.0, -1.0, 1.0 / 0.0, 0.0 / 0.0}) {
    const Report damaged = report_of(rate);
    EXPECT_TRUE(published_beside(rows, {&damaged}).empty()) << rate;
  }
}

}  // namespace
}  // namespace scalemark::claims
