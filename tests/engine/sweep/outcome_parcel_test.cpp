#include <gtest/gtest.h>

#include <cmath>
#include <torch/csrc/distributed/c10d/HashStore.hpp>

#include "core/base/error.h"
#include "engine/sweep/sweep_messages.h"

namespace scalemark::sweeping {
namespace {

running::PointOutcome outcome_of(std::size_t steps) {
  running::PointOutcome outcome;
  reporting::RankRecord& only = outcome.ranks.emplace_back().record;
  only.rank = 3;
  only.host = "n1";
  only.wall_s = 0.1;
  only.own_mean_s = 1.0 / 3;
  for (std::size_t t = 0; t < steps; ++t) {
    outcome.series.max_step_s.push_back(std::sqrt(static_cast<double>(t)));
    outcome.series.max_own_s.push_back(1.0 / static_cast<double>(t + 1));
  }
  outcome.measuring_s = 2.5;
  return outcome;
}

TEST(OutcomeParcel, ArrivesAsItWasAndLeavesNothing) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  const auto sent = outcome_of(7);
  send_outcome(*store, 42, sent);
  const auto got = receive_outcome(*store, 42);
  ASSERT_EQ(got.ranks.size(), 1u);
  EXPECT_EQ(got.ranks[0].record.rank, 3);
  EXPECT_EQ(got.ranks[0].record.host, "n1");
  EXPECT_EQ(got.ranks[0].record.own_mean_s, 1.0 / 3) << "every bit";
  EXPECT_EQ(got.series.max_step_s, sent.series.max_step_s);
  EXPECT_EQ(got.series.max_own_s, sent.series.max_own_s);
  EXPECT_TRUE(got.series.max_own_less_wait_s.empty());
  EXPECT_EQ(got.measuring_s, 2.5);
  EXPECT_FALSE(got.raw_steps);
  EXPECT_EQ(store->getNumKeys(), 0);
}

// A store takes 8 MiB for a value at most: half a million steps come in pieces.
TEST(OutcomeParcel, ALongWindowComesInPieces) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  const auto sent = outcome_of(500'000);
  send_outcome(*store, 1, sent);
  EXPECT_GT(store->getNumKeys(), 2);
  EXPECT_EQ(receive_outcome(*store, 1).series.max_step_s, sent.series.max_step_s);
  EXPECT_EQ(store->getNumKeys(), 0);
}

// Any bytes: they are float64.
TEST(OutcomeParcel, RawStepsComeByteForByte) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  auto sent = outcome_of(3);
  sent.raw_steps = reporting::raw_part({.steps_per_mark = 7,
                                        .windows = {{.wall_s = 1.0 / 3, .steps = 21, .entries = 3}},
                                        .step_s = {-1e300, 1.0 / 7, 1e-300}});
  send_outcome(*store, 5, sent);
  const auto got = receive_outcome(*store, 5);
  ASSERT_TRUE(got.raw_steps);
  EXPECT_EQ(got.raw_steps->values, sent.raw_steps->values);
  EXPECT_EQ(got.raw_steps->steps_per_mark, 7);
  ASSERT_EQ(got.raw_steps->tables.size(), 2u);
  EXPECT_EQ(got.raw_steps->tables[1].rows, 3);
  EXPECT_EQ(got.raw_steps->tables[1].columns.at(0).name, "step_s");
}

TEST(OutcomeParcel, ReportsWhatCouldNotBeSaved) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  auto sent = outcome_of(3);
  sent.not_saved = io_error("no space for the trace").record();
  send_outcome(*store, 6, sent);
  const auto got = receive_outcome(*store, 6);
  ASSERT_TRUE(got.not_saved);
  EXPECT_EQ(got.not_saved->what, "no space for the trace");
  EXPECT_EQ(got.not_saved->exit_code, ExitCode::kIo);
}

TEST(OutcomeParcel, NothingSentIsABug) {
  auto store = c10::make_intrusive<c10d::HashStore>();
  send_outcome(*store, 1, outcome_of(3));
  EXPECT_THROW(receive_outcome(*store, 2), Error);
}

}  // namespace
}  // namespace scalemark::sweeping
