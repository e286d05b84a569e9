#include "engine/running/results/measurement_wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/reporting/point/rank_steps.h"

namespace scalemark::running {
namespace {

TEST(MeasurementWire, CarriesEveryBitAndNaN) {
  reporting::RankMeasurement measured{.rank = 3,
                                      .host = "n\xc3\xb6rd",
                                      .device = "cuda:1",
                                      .uuid = "GPU-1",
                                      .iterations = 15,
                                      .steps_per_mark = 7,
                                      .samples = 64,
                                      .wall_s = 0.1,
                                      .step_s = {0.1, std::nextafter(0.1, 1)},
                                      .exposed_communication_s = {0, 1e-300},
                                      .counted_data_wait_s = {0.5, 0.25},
                                      .loss_last = std::numeric_limits<double>::quiet_NaN(),
                                      .memory_peak_bytes = 1ULL << 40,
                                      .bucket_bytes = {1048576}};
  measured.phases_s = reporting::Phases{.forward = 0.3};
  measured.setup_s.first_step_s = 1.5;
  measured.memory_reserved_bytes = 1ULL << 41;
  measured.cost_blocks = {{.step_s = 0.1, .own_s = std::nextafter(0.1, 1)}, {.step_s = 0.2}};
  measured.attention_backends = {"efficient", "flash"};
  measured.skipped = {{.name = "a/b.jpg", .reason = "truncated"}};
  measured.machine = "boot";
  measured.telemetry = {{"busy_cpus", "", 20, 1.5, 0.5, 2.5, 1.0, 2.0, std::nextafter(3.0, 4), 2.0},
                        {"sm_clock_MHz", "cuda:1", 21, 1700, 1200, 1980, 1980, 1200, {}, 2.0}};

  const auto sent = reporting::condensed(measured);
  const auto [got, steps] = from_wire(to_wire(sent));
  EXPECT_EQ(got.rank, 3);
  EXPECT_EQ(got.host, measured.host);
  EXPECT_EQ(got.uuid, "GPU-1");
  EXPECT_EQ(got.iterations, 15);
  EXPECT_EQ(got.steps_per_mark, 7);
  EXPECT_EQ(got.attention_backends, measured.attention_backends);
  EXPECT_EQ(steps.step_s.mean, sent.steps.step_s.mean);
  EXPECT_EQ(steps.step_s.n, 2);
  EXPECT_FALSE(steps.step_s.max);  // of means
  EXPECT_EQ(steps.exposed_communication_s, 0.5e-300);
  EXPECT_EQ(steps.data_wait_s, 0.375);
  EXPECT_TRUE(std::isnan(got.loss_last));
  EXPECT_EQ(got.memory_peak_bytes, measured.memory_peak_bytes);
  EXPECT_EQ(got.memory_reserved_bytes, measured.memory_reserved_bytes);
  EXPECT_EQ(got.bucket_bytes, measured.bucket_bytes);
  ASSERT_EQ(got.cost_blocks.size(), 2u);
  EXPECT_EQ(got.cost_blocks[0].step_s, 0.1);
  EXPECT_EQ(got.cost_blocks[0].own_s, std::nextafter(0.1, 1));
  EXPECT_FALSE(got.cost_blocks[1].own_s);
  EXPECT_EQ(got.phases_s.value().forward, 0.3);
  EXPECT_EQ(got.setup_s.first_step_s, 1.5);
  ASSERT_EQ(got.skipped.size(), 1u);
  EXPECT_EQ(got.skipped[0].reason, "truncated");
  EXPECT_EQ(got.machine, "boot");
  ASSERT_EQ(got.telemetry.size(), 2u);
  EXPECT_EQ(got.telemetry[0].total, std::nextafter(3.0, 4));
  EXPECT_EQ(got.telemetry[0].last, 2.0);
  EXPECT_EQ(got.telemetry[1].device, "cuda:1");
  EXPECT_EQ(got.telemetry[1].min, 1200);
  EXPECT_FALSE(got.telemetry[1].total);
}

// What travels does not grow with the steps of the window.
TEST(MeasurementWire, CarriesALongWindowInLittle) {
  constexpr std::size_t kSteps = 100'000;
  reporting::RankMeasurement measured{.rank = 1, .host = "n", .device = "cpu"};
  measured.iterations = static_cast<std::int64_t>(kSteps);
  measured.phases_s.emplace();
  for (std::size_t t = 0; t < kSteps; ++t) {
    measured.step_s.push_back(0.1 + 1e-7 * static_cast<double>(t));
    measured.exposed_communication_s.push_back(t % 2 == 0 ? 0.01 : 0.0);
    measured.counted_data_wait_s.push_back(1e-3);
    measured.stretch_wall_s.push_back(0.1);  // of as many checkpoints
  }
  const auto sent = reporting::condensed(measured);
  const std::string bytes = to_wire(sent);
  EXPECT_LT(bytes.size(), 2000u);
  const auto got = from_wire(bytes);
  EXPECT_EQ(got.steps.step_s.n, 100'000);
  EXPECT_EQ(got.steps.step_s.mean, sent.steps.step_s.mean);
  EXPECT_EQ(got.steps.step_s.p99, sent.steps.step_s.p99);
  EXPECT_EQ(got.steps.step_s.stdev, sent.steps.step_s.stdev);
  EXPECT_EQ(got.steps.own_mean_s, sent.steps.own_mean_s);
  EXPECT_EQ(got.steps.own_mean_ln, sent.steps.own_mean_ln);
}

TEST(MeasurementWire, KeepsAbsentValuesAbsent) {
  reporting::RankMeasurement one_step{.iterations = 1, .step_s = {1}};
  one_step.exposed_communication_s = {1};  // nothing of its own: no logarithm
  one_step.counted_data_wait_s = {0};
  one_step.phases_s.emplace();
  const auto got = from_wire(to_wire(reporting::condensed(one_step)));
  EXPECT_FALSE(got.steps.own_mean_ln);
  EXPECT_FALSE(got.steps.step_s.p99);
  EXPECT_FALSE(got.steps.step_s.stdev);
  EXPECT_FALSE(got.rank.memory_reserved_bytes);
}

TEST(MeasurementWire, CarriesStepsWithoutPhases) {
  const auto got = from_wire(to_wire(reporting::condensed({.iterations = 2, .step_s = {1, 3}})));
  EXPECT_EQ(got.steps.step_s.mean, 2);
  EXPECT_FALSE(got.rank.phases_s);
  EXPECT_FALSE(got.steps.own_mean_s);
  EXPECT_FALSE(got.steps.data_wait_s);
}

}  // namespace
}  // namespace scalemark::running
