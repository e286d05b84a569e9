#include "engine/running/measurement_wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace scalemark::running {
namespace {

TEST(MeasurementWire, CarriesEveryBitAndNaN) {
  reporting::RankMeasurement sent{.rank = 3,
                                  .host = "n\xc3\xb6rd",
                                  .device = "cuda:1",
                                  .iterations = 2,
                                  .steps_per_mark = 7,
                                  .samples = 64,
                                  .wall_s = 0.1,
                                  .step_s = {0.1, std::nextafter(0.1, 1)},
                                  .exposed_communication_s = {0, 1e-300},
                                  .counted_data_wait_s = {0.5, 0.25},
                                  .loss_last = std::numeric_limits<double>::quiet_NaN(),
                                  .memory_peak_bytes = 1ULL << 40,
                                  .bucket_bytes = {1048576}};
  sent.phases_s.forward = 0.3;
  sent.setup_s.first_step_s = 1.5;
  sent.attention_backends = {"efficient", "flash"};
  sent.skipped = {{.name = "a/b.jpg", .reason = "truncated"}};

  const auto got = from_wire(to_wire(sent));
  EXPECT_EQ(got.rank, 3);
  EXPECT_EQ(got.host, sent.host);
  EXPECT_EQ(got.steps_per_mark, 7);
  EXPECT_EQ(got.attention_backends, sent.attention_backends);
  EXPECT_EQ(got.step_s, sent.step_s);
  EXPECT_EQ(got.exposed_communication_s, sent.exposed_communication_s);
  EXPECT_EQ(got.counted_data_wait_s, sent.counted_data_wait_s);
  EXPECT_TRUE(std::isnan(got.loss_last));
  EXPECT_EQ(got.memory_peak_bytes, sent.memory_peak_bytes);
  EXPECT_EQ(got.bucket_bytes, sent.bucket_bytes);
  EXPECT_EQ(got.phases_s.forward, 0.3);
  EXPECT_EQ(got.setup_s.first_step_s, 1.5);
  ASSERT_EQ(got.skipped.size(), 1u);
  EXPECT_EQ(got.skipped[0].reason, "truncated");
}

}  // namespace
}  // namespace scalemark::running
