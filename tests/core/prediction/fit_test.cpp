#include "core/prediction/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

constexpr FitOptions kUnpulled{.pull = 0};

// A series that follows the model exactly: 100 MB over 4 ranks per node.
CostModel planted() {
  return {.compute_s = 0.1,
          .jitter_growth = 0.02,
          .chunks = chunks_of(1e8),
          .payload_bytes = 1e8,
          .links = {{{2e-5, 1e-10}, {1e-4, 4e-10}}}};
}

Measured measured(const CostModel& model, std::initializer_list<int> world_sizes, bool own) {
  Measured made{.payload_bytes = model.payload_bytes};
  for (const int ranks : world_sizes) {
    const Layout layout = layout_of(ranks, 4);
    made.points.push_back({ranks, layout, step_s(model, ranks, layout)});
    if (own) made.points.back().own_max_s = compute_s(model, ranks);
  }
  return made;
}

TEST(Fit, FindsWhatWasPlanted) {
  const Fit found = fit(measured(planted(), {1, 2, 4, 8, 16, 32, 64}, true), kUnpulled);
  EXPECT_NEAR(found.model.compute_s, 0.1, 1e-6);
  EXPECT_NEAR(found.model.jitter_growth, 0.02, 1e-4);
  EXPECT_NEAR(found.model.links[kIntraNode].s_per_byte, 1e-10, 1e-12);
  EXPECT_NEAR(found.model.links[kInterNode].s_per_byte, 4e-10, 1e-12);
  EXPECT_NEAR(found.model.level, 1, 1e-6);
  EXPECT_EQ(found.links[kIntraNode], LinkOrigin::kMeasured);
  EXPECT_EQ(found.links[kInterNode], LinkOrigin::kMeasured);
  const double truth = step_s(planted(), 256, layout_of(256, 4));
  EXPECT_NEAR(step_s(found.model, 256, layout_of(256, 4)) / truth, 1, 1e-3);
}

// The curve always goes through the largest point, however much growth is pulled towards none.
TEST(Fit, PulledHardItSaysThatTheLastEfficiencyHolds) {
  const Measured series = measured(planted(), {1, 2, 4, 8}, false);
  for (const double pull : {0.0, 3.0, 1e9}) {
    const Fit found = fit(series, {.pull = pull});
    EXPECT_NEAR(step_s(found.model, 8, layout_of(8, 4)), series.points.back().step_s, 1e-12);
  }
  const Fit flat = fit(series, {.pull = 1e9});
  EXPECT_NEAR(step_s(flat.model, 4096, layout_of(4096, 4)), series.points.back().step_s, 1e-5);
}

TEST(Fit, NothingIsNegativeWhenTheSeriesSpeedsUp) {
  Measured series = measured(planted(), {1, 2, 4, 8}, false);
  for (MeasuredPoint& point : series.points) point.step_s = 0.1 / std::sqrt(point.world_size);
  const CostModel model = fit(series, kUnpulled).model;
  EXPECT_EQ(model.jitter_growth, 0);
  for (const Link& link : model.links) {
    EXPECT_EQ(link.alpha_s, 0);
    EXPECT_EQ(link.s_per_byte, 0);
  }
}

TEST(Fit, ALinkThatWasNotMeasuredIsTakenToBeLikeTheOther) {
  Measured series = measured(planted(), {1, 2, 4}, true);
  Fit found = fit(series, kUnpulled);
  EXPECT_EQ(found.links[kInterNode], LinkOrigin::kAssumed);
  EXPECT_EQ(found.model.links[kInterNode].s_per_byte, found.model.links[kIntraNode].s_per_byte);
  series.known_links[kInterNode] = {1e-4, 4e-10};
  found = fit(series, kUnpulled);
  EXPECT_EQ(found.links[kInterNode], LinkOrigin::kGiven);
  EXPECT_EQ(found.model.links[kInterNode].alpha_s, 1e-4);
}

// 10 ms of communication per step are known; backward of 60 ms hides 75 % of 12 ms.
TEST(Fit, OverlapIsFoundWhereTheLinksAreGiven) {
  CostModel truth{.compute_s = 0.1, .overlap = 0.1, .backward_s = 0.06, .payload_bytes = 1e8};
  truth.links = {{{0, 1e-10}, {0, 1e-10}}};
  truth.chunks = chunks_of(1e8);
  Measured series = measured(truth, {1, 2, 4}, true);
  series.backward_s = 0.06;
  EXPECT_EQ(fit(series, kUnpulled).model.overlap, 0);  // it could as well be a faster link
  series.known_links = {{{0.0, 1e-10}, {0.0, 1e-10}}};
  const Fit found = fit(series, kUnpulled);
  EXPECT_NEAR(found.model.overlap, 0.1, 1e-12);
  EXPECT_NEAR(found.model.compute_s, 0.1, 1e-9);
}

// One layout cannot tell alpha from beta; with messages of 50 MB it is beta.
TEST(Fit, LargeMessagesAreNotSlowBecauseOfLatency) {
  CostModel truth{.compute_s = 0.1, .chunks = chunks_of(1e8), .payload_bytes = 1e8};
  truth.links = {{{0, 1e-10}, {0, 4e-10}}};
  const Fit found = fit(measured(truth, {1, 4, 8}, true));
  const CostTerms terms =
      allreduce_terms(Algorithm::kRing, layout_of(8, 4), 1e8, found.model.chunks);
  const double alpha_s = terms.messages[kInterNode] * found.model.links[kInterNode].alpha_s;
  const double beta_s = terms.bytes[kInterNode] * found.model.links[kInterNode].s_per_byte;
  EXPECT_LT(alpha_s, 0.05 * beta_s);
}

TEST(Fit, RefusesNonsense) {
  EXPECT_THROW(fit(measured(planted(), {4}, false)), Error);
  EXPECT_THROW(fit(measured(planted(), {4, 2}, false)), Error);
  EXPECT_THROW(fit(measured(planted(), {2, 2}, false)), Error);
  Measured series = measured(planted(), {1, 2}, false);
  series.points[1].step_s = 0;
  EXPECT_THROW(fit(series), Error);
}

}  // namespace
}  // namespace scalemark::prediction
