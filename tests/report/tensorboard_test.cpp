#include "report/say/render/tensorboard.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "report/say/render/render.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

using Files = std::vector<RenderedFile>;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Files files_of(const Report& report) { return render_tensorboard(std::span(&report, 1)); }

std::string results_of(const PointRecord& point) {
  tensorboard::Events events;
  add_results(events, point);
  return events.take();
}

TEST(RenderTensorBoard, WritesAFilePerRun) {
  const Report report = sample_report(2, true);
  const Files files = files_of(report);
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(files[0].name, report.points[0].id + "/events.out.tfevents.1767323045.scalemark");
  for (const char* tag : {"result/samples_per_second", "result/step_seconds", "time/step_seconds",
                          "time/forward_seconds", "memory/peak_bytes", "session_start_info",
                          "session_end_info", "world_size"}) {
    EXPECT_TRUE(has(files[0].text, tag)) << tag;
  }
  EXPECT_EQ(files_of(report)[0].name, files[0].name);
  EXPECT_EQ(files_of(report)[0].text, files[0].text);

  const std::vector<Report> two(2, report);
  EXPECT_EQ(render_tensorboard(two).back().name, "2/" + files.back().name);
}

TEST(RenderTensorBoard, ARunThatFailedHasItsSessionOnly) {
  PointRecord point = sample_point(2);
  point.status = PointStatus::kOom;
  const std::string text = results_of(point);
  EXPECT_TRUE(has(text, "session_end_info"));
  EXPECT_FALSE(has(text, "result/"));
  EXPECT_FALSE(has(text, "time/"));
  point.status = PointStatus::kSkipped;
  EXPECT_EQ(results_of(point), "");
}

TEST(RenderTensorBoard, WhatStepsAsAWholeLackIsAbsent) {
  PointRecord point = sample_point(2);
  EXPECT_TRUE(has(results_of(point), "time/backward_seconds"));
  drop_phases(point);
  EXPECT_FALSE(has(results_of(point), "time/backward_seconds"));
}

TEST(RenderTensorBoard, NothingIsWrittenOutsideOfTheFolder) {
  Report report = sample_report(1, false);
  const auto folder_of = [&](const std::string& id) {
    report.points[0].id = id;
    const std::string name = files_of(report)[0].name;
    return name.substr(0, name.find("/events."));
  };
  EXPECT_EQ(folder_of("a-b/r0"), "a-b/r0");
  EXPECT_EQ(folder_of("/etc/../x"), "_/etc/_/x");
  EXPECT_EQ(folder_of(""), "_");
  EXPECT_EQ(folder_of("a\nb/."), "a_b/_");
}

TEST(RenderTensorBoard, EfficiencyIsThatOfTheScalingRow) {
  Report report = sample_report(2, true);
  tensorboard::Events none, one;
  add_efficiency(none, report, report.points[0].id);
  EXPECT_EQ(none.bytes(), "");  // it is the table's baseline
  report.scaling[0].rows[0].points = {report.points[0].id};
  add_efficiency(one, report, report.points[0].id);
  EXPECT_TRUE(has(one.bytes(), "Summary/efficiency"));
}

}  // namespace
}  // namespace scalemark::reporting
