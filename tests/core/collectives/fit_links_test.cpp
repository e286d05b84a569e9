#include "core/collectives/fit_links.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

using enum Collective;

constexpr Collective kWithData[] = {kAllReduce, kAllGather, kReduceScatter, kBroadcast,
                                    kReduce,    kGather,    kAllToAll,      kSendRecv};

TEST(RingTerms, LiteralCounts) {
  const auto within = [](Collective collective) {
    const auto terms = ring_terms(collective, {1, 4}, 400);
    EXPECT_EQ(terms.messages[kInterNode], 0);
    EXPECT_EQ(terms.bytes[kInterNode], 0);
    return std::pair(terms.messages[kIntraNode], terms.bytes[kIntraNode]);
  };
  EXPECT_EQ(within(kAllReduce), std::pair(6.0, 600.0));  // 2 (g - 1) of S / g
  EXPECT_EQ(within(kAllGather), std::pair(3.0, 300.0));
  EXPECT_EQ(within(kReduceScatter), std::pair(3.0, 300.0));
  EXPECT_EQ(within(kBroadcast), std::pair(3.0, 400.0));
  EXPECT_EQ(within(kGather), std::pair(3.0, 300.0));
  EXPECT_EQ(within(kAllToAll), std::pair(3.0, 300.0));
  EXPECT_EQ(within(kSendRecv), std::pair(1.0, 400.0));
  const auto rings = ring_terms(kAllReduce, {4, 2}, 400);  // 2 of 200 within, 6 of 100 between
  EXPECT_EQ(rings.messages, (std::array<double, kLevels>{2, 6}));
  EXPECT_EQ(rings.bytes, (std::array<double, kLevels>{400, 600}));
  EXPECT_NEAR(cost_s(rings, {{{1e-5, 1e-9}, {5e-5, 1e-8}}}), 2e-5 + 4e-7 + 3e-4 + 6e-6, 1e-15);
  EXPECT_EQ(ring_terms(kBarrier, {1, 5}, 0).messages[kIntraNode], 3);
  const auto shift = ring_terms(kSendRecv, {2, 2}, 400);
  EXPECT_EQ(shift.messages[kIntraNode], 0);
  EXPECT_EQ(shift.bytes[kInterNode], 400);
  EXPECT_EQ(ring_terms(kAllToAll, {2, 2}, 400).bytes[kInterNode], 400);  // 2 x 2 shares of 100
  EXPECT_EQ(ring_terms(kSendRecv, {1, 1}, 400).messages[kIntraNode], 0);
}

std::vector<LinkPoint> made_with(Collective collective, Layout layout, Links links,
                                 std::vector<double> factors) {
  std::vector<LinkPoint> points;
  for (std::int64_t bytes = 64; bytes <= 1 << 26; bytes *= 16) {
    const double seconds =
        cost_s(ring_terms(collective, layout, static_cast<double>(bytes)), links);
    LinkPoint point{.collective = collective, .layout = layout, .bytes = bytes, .seconds = {}};
    for (const double factor : factors) point.seconds.push_back(seconds * factor);
    points.push_back(point);
  }
  return points;
}

TEST(FitLinks, FindsALinkFromEveryCollective) {
  for (const Collective collective : kWithData) {
    const auto fit = fit_links(made_with(collective, {1, 4}, {{{2e-6, 1e-10}, {0, 0}}}, {1.0}));
    ASSERT_TRUE(fit) << name_of(collective);
    const FittedLink& link = *fit->links[kIntraNode];
    EXPECT_NEAR(link.alpha_s.value, 2e-6, 1e-12) << name_of(collective);
    EXPECT_NEAR(link.bandwidth_GBps->value, 10, 1e-6) << name_of(collective);
    EXPECT_FALSE(fit->links[kInterNode]);
    EXPECT_LT(fit->worst_relative_error, 1e-6);
    EXPECT_FALSE(link.alpha_s.ci95) << "one repetition";
  }
}

TEST(FitLinks, FindsBothLevels) {
  const Links links{{{1e-6, 5e-11}, {2e-5, 8e-10}}};
  auto points = made_with(kAllReduce, {1, 4}, links, {1.0});
  for (const LinkPoint& point : made_with(kAllReduce, {2, 4}, links, {1.0})) {
    points.push_back(point);
  }
  const auto fit = fit_links(points);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->links[kIntraNode]->alpha_s.value, 1e-6, 1e-11);
  EXPECT_NEAR(fit->links[kInterNode]->alpha_s.value, 2e-5, 1e-10);
  EXPECT_NEAR(fit->links[kInterNode]->bandwidth_GBps->value, 1.25, 1e-5);
}

// Repetitions that are 5 % slower or faster as a whole: the interval is that of the factors.
TEST(FitLinks, IntervalsAreOverRepetitions) {
  const auto fit =
      fit_links(made_with(kAllReduce, {1, 2}, {{{2e-6, 1e-10}, {0, 0}}}, {0.95, 1.0, 1.05}));
  ASSERT_TRUE(fit);
  const FittedLink& link = *fit->links[kIntraNode];
  ASSERT_TRUE(link.alpha_s.ci95);
  // t(.975, 2) = 4.3027, s = .05: +- 4.3027 x .05 / sqrt(3) = 12.42 %, around the value.
  const double middle = std::cbrt(0.95 * 1.05);  // geometric mean of the factors
  EXPECT_NEAR(link.alpha_s.value, 2e-6 * middle, 1e-10);
  EXPECT_NEAR(link.alpha_s.ci95->low, 2e-6 * (middle - 0.12421), 1e-10);
  EXPECT_NEAR(link.alpha_s.ci95->high, 2e-6 * (middle + 0.12421), 1e-10);
  ASSERT_TRUE(link.bandwidth_GBps->ci95);
  EXPECT_NEAR(link.bandwidth_GBps->ci95->low, 10 / (middle + 0.12421), 1e-3);
}

TEST(FitLinks, NothingIsNegative) {
  // Faster than in proportion to the size: the latency would be below 0.
  std::vector<LinkPoint> points;
  const std::initializer_list<std::pair<int, double>> times{
      {100, 1e-6}, {200, 2.5e-6}, {400, 6e-6}};
  for (const auto& [bytes, seconds] : times) {
    points.push_back({.collective = kSendRecv,
                      .layout = {1, 2},
                      .bytes = bytes,
                      .seconds = {seconds, seconds * 1.3}});
  }
  const auto fit = fit_links(points);
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->links[kIntraNode]->alpha_s.value, 0);
  EXPECT_GE(fit->links[kIntraNode]->alpha_s.ci95->low, 0);
  EXPECT_GT(fit->worst_relative_error, 0.05);
}

// Karush-Kuhn-Tucker: at the optimum no step that stays allowed goes down.
TEST(FitLinks, NoAllowedStepImproves) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> odd(0, 1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<LinkPoint> points;
    for (const Layout layout : {Layout{1, 4}, Layout{2, 4}, Layout{4, 2}}) {
      for (const std::int64_t bytes : {1'000, 100'000, 10'000'000}) {
        const double seconds = (1e-5 + 1e-9 * static_cast<double>(bytes)) * odd(random);
        points.push_back({kAllReduce, layout, bytes, {seconds}});
      }
    }
    const auto fit = fit_links(points);
    ASSERT_TRUE(fit);
    Links links;
    for (std::size_t level = 0; level < kLevels; ++level) {
      links[level] = {fit->links[level]->alpha_s.value, fit->links[level]->s_per_byte.value};
    }
    for (std::size_t level = 0; level < kLevels; ++level) {
      double by_alpha = 0, by_beta = 0, alpha_size = 0, beta_size = 0;
      for (const LinkPoint& point : points) {
        const auto terms = ring_terms(kAllReduce, point.layout, static_cast<double>(point.bytes));
        const double residual = cost_s(terms, links) / point.seconds[0] - 1;
        by_alpha += residual * terms.messages[level] / point.seconds[0];
        by_beta += residual * terms.bytes[level] / point.seconds[0];
        alpha_size += terms.messages[level] / point.seconds[0];
        beta_size += terms.bytes[level] / point.seconds[0];
      }
      EXPECT_GE(links[level].alpha_s, 0);
      EXPECT_GE(links[level].s_per_byte, 0);
      EXPECT_GE(by_alpha / alpha_size, -1e-9);
      EXPECT_GE(by_beta / beta_size, -1e-9);
      EXPECT_NEAR(by_alpha * links[level].alpha_s, 0, 1e-9);
      EXPECT_NEAR(by_beta * links[level].s_per_byte, 0, 1e-9);
    }
  }
}

// One size cannot separate latency from bandwidth: the columns of the fit depend on each other.
TEST(FitLinks, OneSizeIsFittedByOneNumber) {
  const std::vector<LinkPoint> points(4, {kAllReduce, {1, 2}, 1'000'000, {1e-3}});
  const auto fit = fit_links(points);
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->worst_relative_error, 1e-12);
}

TEST(FitLinks, AbsentWithoutEnoughPoints) {
  auto points = made_with(kAllReduce, {1, 2}, {{{2e-6, 1e-10}, {0, 0}}}, {1.0});
  points.resize(2);
  EXPECT_FALSE(fit_links(points));
  const LinkPoint barrier{.collective = kBarrier, .layout = {1, 2}, .bytes = 0, .seconds = {1e-6}};
  points.assign(9, barrier);
  EXPECT_FALSE(fit_links(points));
  points.front().seconds = {};
  EXPECT_THROW(fit_links(points), Error);
}

}  // namespace
}  // namespace scalemark::collectives
