#include "report/judge/point/rank_steps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/wire.h"
#include "report/record/rank_fields.h"
#include "report/record/report_fields.h"
#include "tests/report/generated_report.h"
#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

RankMeasurement sent(const RankMeasurement& measured) {
  return from_wire<RankMeasurement>(to_wire(measured));
}

TEST(RankMeasurement, TravelsWithEveryBitAndNaN) {
  RankMeasurement measured{.record = {.rank = 3, .host = "n\xc3\xb6rd", .wall_s = 0.1},
                           .series = {.step_s = {0.1, std::nextafter(0.1, 1)},
                                      .exposed_communication_s = {0, 1e-300},
                                      .counted_data_wait_s = {0.5, 0.25}},
                           .iterations = 15,
                           .steps_per_mark = 7,
                           .loss_last = std::numeric_limits<double>::quiet_NaN()};
  measured.record.phases_s = Phases{.forward = 0.3};
  measured.cost_blocks = {{.step_s = 0.1, .own_s = std::nextafter(0.1, 1)}, {.step_s = 0.2}};
  measured.telemetry = {
      {"busy_cpus", "", 20, 1.5, 0.5, 2.5, 1.0, 2.0, std::nextafter(3.0, 4), 2.0}};
  condense(measured);
  const RankMeasurement got = sent(measured);
  EXPECT_EQ(got.record.rank, 3);
  EXPECT_EQ(got.record.host, measured.record.host);
  EXPECT_EQ(got.record.step_s.mean, measured.record.step_s.mean);
  EXPECT_EQ(got.record.step_s.n, 2);
  EXPECT_FALSE(got.record.step_s.max) << "of means";
  EXPECT_EQ(got.record.exposed_communication_s, 0.5e-300);
  EXPECT_EQ(got.record.data_wait_s, 0.375);
  EXPECT_EQ(got.record.phases_s.value().forward, 0.3);
  EXPECT_TRUE(std::isnan(got.loss_last));
  ASSERT_EQ(got.cost_blocks.size(), 2u);
  EXPECT_EQ(got.cost_blocks[0].own_s, std::nextafter(0.1, 1));
  EXPECT_FALSE(got.cost_blocks[1].own_s);
  EXPECT_EQ(got.telemetry.at(0).total, std::nextafter(3.0, 4));
  EXPECT_TRUE(got.series.step_s.empty()) << "it stays on its rank";
}

TEST(RankMeasurement, OfALongWindowTravelsInLittle) {
  constexpr std::size_t kSteps = 100'000;
  RankMeasurement measured{.record = {.rank = 1, .host = "n", .device = "cpu"}};
  measured.iterations = static_cast<std::int64_t>(kSteps);
  measured.record.phases_s.emplace();
  for (std::size_t t = 0; t < kSteps; ++t) {
    measured.series.step_s.push_back(0.1 + 1e-7 * static_cast<double>(t));
    measured.series.exposed_communication_s.push_back(t % 2 == 0 ? 0.01 : 0.0);
    measured.series.counted_data_wait_s.push_back(1e-3);
    measured.series.stretch_wall_s.push_back(0.1);  // there are as many checkpoints
  }
  condense(measured);
  EXPECT_LT(to_wire(measured).size(), 2000u);
  const RankRecord got = sent(measured).record;
  EXPECT_EQ(got.step_s.n, 100'000);
  EXPECT_EQ(got.step_s.p99, measured.record.step_s.p99);
  EXPECT_EQ(got.own_mean_ln, measured.record.own_mean_ln);
}

TEST(Condense, LeavesOutWhatCannotBeSaid) {
  RankMeasurement one_step{.series = {.step_s = {1}}, .iterations = 1};
  one_step.series.exposed_communication_s = {1};  // nothing of its own: no logarithm
  one_step.series.counted_data_wait_s = {0};
  one_step.record.phases_s.emplace();
  condense(one_step);
  EXPECT_FALSE(one_step.record.own_mean_ln || one_step.record.step_s.stdev);
  EXPECT_EQ(one_step.record.own_mean_s, 0);

  RankMeasurement whole_steps{.series = {.step_s = {1, 3}}, .iterations = 2};
  condense(whole_steps);
  EXPECT_EQ(whole_steps.record.step_s.mean, 2);
  EXPECT_FALSE(whole_steps.record.own_mean_s || whole_steps.record.data_wait_s);
}

// Every record of a report, with values of every kind: text and numbers are what they were.
TEST(Report, TravelsWhole) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Report report = generated_report(seed);
    EXPECT_EQ(to_json(from_wire<Report>(to_wire(report))), to_json(report)) << seed;
  }
  const Report sample = sample_report(2, true);
  EXPECT_EQ(to_json(from_wire<Report>(to_wire(sample))), to_json(sample));
}

}  // namespace
}  // namespace scalemark::reporting
