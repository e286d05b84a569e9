#include "data/images/resize_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace scalemark::data {
namespace {

std::map<int, double> weights_of(const LineFilter& filter, std::size_t place) {
  const kernels::ResizeTaps& taps = filter.taps[place];
  std::map<int, double> weights;
  for (int k = 0; k < taps.count; ++k) {
    if (taps.weights[k] != 0) weights[taps.first + k] = taps.weights[k] / 16384.0;
  }
  return weights;
}

TEST(ResizeFilter, ASampleOfTwoPixelsIsInterpolated) {
  LineFilter filter;
  const LinePlan as_it_is{.length = 8, .full = 8, .count = 8};
  make_filter({.pixels = 8, .samples = 4, .each = 2, .smooth = true}, as_it_is, filter);
  using W = std::map<int, double>;
  EXPECT_EQ(weights_of(filter, 0), (W{{0, 1.0}}));
  EXPECT_EQ(weights_of(filter, 1), (W{{0, 0.75}, {1, 0.25}}));
  EXPECT_EQ(weights_of(filter, 4), (W{{1, 0.25}, {2, 0.75}}));
  EXPECT_EQ(weights_of(filter, 7), (W{{3, 1.0}}));
  make_filter({.pixels = 8, .samples = 4, .each = 2}, as_it_is, filter);
  EXPECT_EQ(weights_of(filter, 5), (W{{2, 1.0}}));
  make_filter({.pixels = 8, .samples = 8}, as_it_is, filter);
  EXPECT_EQ(weights_of(filter, 5), (W{{5, 1.0}}));
}

// Upsampled in double, then resized by the weights of pixels.
TEST(ResizeFilter, OfSamplesIsOfPixelsBehindUpsampling) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const int samples = 3 + static_cast<int>(random() % 60);
    const int pixels = 2 * samples - static_cast<int>(random() % 2);
    const int low = static_cast<int>(random() % static_cast<unsigned>(pixels));
    const int length = 1 + static_cast<int>(random() % static_cast<unsigned>(pixels - low));
    const LinePlan plan{.low = static_cast<double>(low),
                        .length = static_cast<double>(length),
                        .full = 1 + static_cast<int>(random() % 40)};
    LinePlan all = plan;
    all.count = plan.full;
    std::vector<double> sample(static_cast<std::size_t>(samples));
    for (double& s : sample) s = static_cast<double>(random() % 256);
    const auto at = [&](int i) {
      return sample[static_cast<std::size_t>(std::min(std::max(i, 0), samples - 1))];
    };
    LineFilter direct;
    make_filter({.pixels = pixels, .samples = samples, .each = 2, .smooth = true}, all, direct);
    LineFilter by_pixels;
    make_filter({.pixels = pixels, .samples = pixels}, all, by_pixels);
    for (std::size_t i = 0; i < static_cast<std::size_t>(all.count); ++i) {
      double expected = 0;
      for (const auto& [x, weight] : weights_of(by_pixels, i)) {
        expected += weight * (0.75 * at(x / 2) + 0.25 * at(x / 2 + (x % 2 == 0 ? -1 : 1)));
      }
      double got = 0;
      double sum = 0;
      for (const auto& [x, weight] : weights_of(direct, i)) {
        got += weight * at(x);
        sum += weight;
      }
      ASSERT_NEAR(got, expected, 0.1);
      ASSERT_EQ(sum, 1.0);
    }
    EXPECT_GE(direct.first, 0);
    EXPECT_LE(direct.end, samples);
  }
}

}  // namespace
}  // namespace scalemark::data
