#include "engine/process/vitals.h"

#include <gtest/gtest.h>

namespace scalemark::process {
namespace {

std::int64_t now() { return Vitals::Clock::now().time_since_epoch().count(); }

TEST(Vitals, ContinueOverTrainings) {
  Vitals vitals;
  EXPECT_FALSE(vitals.since_step_s());
  vitals.begin_training();
  vitals.begin_loop(10);
  vitals.set_payload(100);
  vitals.step_done(now(), 64, 0.5, 2.0, 0.1);
  vitals.step_done(now(), 128, 0.75, std::nullopt, 0.2);
  EXPECT_EQ(vitals.samples(), 128);
  EXPECT_EQ(vitals.data_wait_s(), 0.75);
  EXPECT_EQ(vitals.payload_bytes(), 200);
  EXPECT_EQ(vitals.done(), 2);
  EXPECT_EQ(vitals.planned(), 10);
  EXPECT_EQ(vitals.loss(), 2.0);
  EXPECT_GE(vitals.since_step_s().value(), 0);

  vitals.begin_training();  // its own counters begin at 0
  EXPECT_FALSE(vitals.since_step_s());
  EXPECT_FALSE(vitals.loss());
  vitals.begin_loop(std::nullopt);
  vitals.set_payload(7);
  vitals.step_done(now(), 32, 0.25, std::nullopt, 0.1);
  EXPECT_EQ(vitals.samples(), 160);
  EXPECT_EQ(vitals.data_wait_s(), 1.0);
  EXPECT_EQ(vitals.payload_bytes(), 207);
  EXPECT_FALSE(vitals.planned());
}

TEST(Vitals, APassOfAnEvaluationTrainsNothing) {
  Vitals vitals;
  vitals.begin_training();
  vitals.begin_loop(4);
  vitals.pass_done();
  EXPECT_EQ(vitals.done(), 1);
  EXPECT_EQ(vitals.samples(), 0);
  EXPECT_FALSE(vitals.since_step_s());
}

}  // namespace
}  // namespace scalemark::process
