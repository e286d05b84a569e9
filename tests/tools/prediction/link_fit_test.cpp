#include "tools/prediction/link_fit.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::prediction {
namespace {

double seconds(double bytes) { return 20e-6 + bytes * 5e-10; }

TEST(LinkFit, FindsWhatWasPlanted) {
  std::vector<MessageTime> messages;
  for (const double bytes : {8.0, 1e3, 1e5, 1e7}) messages.push_back({bytes, seconds(bytes)});
  const Segment segment = fit_link(messages);
  EXPECT_NEAR(segment.link.alpha_s, 20e-6, 1e-12);
  EXPECT_NEAR(segment.link.s_per_byte, 5e-10, 1e-16);
  EXPECT_LT(segment.worst_relative_error, 1e-6);
  EXPECT_EQ(fit_segments(messages).size(), 1u);
}

// Relative errors: a small message weighs as much as a large one, so alpha is not lost in the noise
// of the largest.
TEST(LinkFit, SmallMessagesCountAsMuchAsLargeOnes) {
  const std::vector<MessageTime> messages = {
      {8, 20e-6}, {1e3, 20.5e-6}, {1e8, 1.1 * seconds(1e8)}, {2e8, 0.9 * seconds(2e8)}};
  EXPECT_NEAR(fit_link(messages).link.alpha_s, 20e-6, 1e-6);
}

TEST(LinkFit, NeverNegative) {
  const std::vector<MessageTime> messages = {{1e3, 1e-6}, {1e6, 2e-3}};  // a line through it dips
  const Segment segment = fit_link(messages);
  EXPECT_EQ(segment.link.alpha_s, 0);
  EXPECT_GT(segment.link.s_per_byte, 0);
}

TEST(LinkFit, TwoProtocolsMakeTwoSegments) {
  std::vector<MessageTime> messages;
  for (const double bytes : {64.0, 512.0, 4096.0})
    messages.push_back({bytes, 2e-6 + bytes * 1e-10});
  for (const double bytes : {1e5, 1e6, 1e7}) messages.push_back({bytes, 50e-6 + bytes * 4e-11});
  const auto segments = fit_segments(messages);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[1].from_bytes, 1e5);
  EXPECT_NEAR(segment_of(segments, 100).link.alpha_s, 2e-6, 1e-9);
  EXPECT_NEAR(segment_of(segments, 1e5).link.alpha_s, 50e-6, 1e-9);
  EXPECT_NEAR(segment_of(segments, 1e9).link.s_per_byte, 4e-11, 1e-14);
}

TEST(LinkFit, RefusesNonsense) {
  EXPECT_THROW(fit_link(std::vector<MessageTime>{{1, 1}}), Error);
  EXPECT_THROW(fit_link(std::vector<MessageTime>{{1, 1}, {2, 0}}), Error);
  EXPECT_THROW(fit_link(std::vector<MessageTime>{{0, 1}, {0, 1}}), Error);
}

}  // namespace
}  // namespace scalemark::prediction
