#include "core/live/tensorboard/histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/wire.h"

namespace scalemark::tensorboard {
namespace {

using Bins = std::vector<std::int32_t>;
using Counts = std::vector<std::int64_t>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr std::int32_t kOne = 127 * 8;  // the bin that begins with 1

TEST(ValueHistogram, OfNothingIsEmpty) {
  const Histogram none = count_values({});
  EXPECT_EQ(none.n, 0);
  EXPECT_EQ(none.bins, Bins());
  EXPECT_EQ(none.min, 0);
  EXPECT_EQ(none.max, 0);
}

TEST(ValueHistogram, HasEightBinsAnOctaveAndEachSignApart) {
  const std::vector<float> values = {1, 1.1F, 1.125F, 1.99F, 2, -1, -1.1F, -1.125F, 0.5F};
  const Histogram all = count_values(values);
  EXPECT_EQ(all.bins, (Bins{-kOne - 1, -kOne, kOne - 8, kOne, kOne + 1, kOne + 7, kOne + 8}));
  EXPECT_EQ(all.counts, (Counts{1, 2, 1, 2, 1, 1, 1}));
  EXPECT_EQ(all.n, 9);
  EXPECT_EQ(all.min, -1.125);
  EXPECT_EQ(all.max, 2);
  EXPECT_NEAR(all.sum, 1 + 1.1 + 1.125 + 1.99 + 2 - 1 - 1.1 - 1.125 + 0.5, 1e-6);
  EXPECT_NEAR(all.sum_squares, 2 * (1 + 1.21 + 1.265625) + 1.99 * 1.99 + 4 + 0.25, 1e-5);
}

TEST(ValueHistogram, CountsZerosAndDenormalsInOneBin) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  const float smallest = std::numeric_limits<float>::min();
  const Histogram all =
      count_values(std::vector<float>{0, -0.0F, tiny, -tiny, smallest / 2, smallest, -smallest});
  EXPECT_EQ(all.bins, (Bins{-8, 0, 8}));
  EXPECT_EQ(all.counts, (Counts{1, 5, 1}));
  EXPECT_EQ(all.min, -smallest);
  EXPECT_EQ(all.max, smallest);
}

TEST(ValueHistogram, LeavesOutWhatIsNotFinite) {
  const float largest = std::numeric_limits<float>::max();
  const Histogram all =
      count_values(std::vector<float>{kInfinity, 3, -kInfinity, kNan, -kNan, largest, -5});
  EXPECT_EQ(all.n, 3);
  EXPECT_EQ(all.not_finite, 4);
  EXPECT_EQ(all.min, -5);
  EXPECT_EQ(all.max, largest);
  EXPECT_EQ(all.sum, static_cast<double>(largest) - 2);
  EXPECT_EQ(all.bins.back(), 255 * 8 - 1);

  const Histogram none = count_values(std::vector<float>(9, kNan));
  EXPECT_EQ(none.n, 0);
  EXPECT_EQ(none.not_finite, 9);
  EXPECT_EQ(none.max, 0);
}

TEST(ValueHistogram, BinsLieBetweenTheirEdges) {
  EXPECT_EQ(edges_of(kOne).low, 1);
  EXPECT_EQ(edges_of(kOne).high, 1.125);
  EXPECT_EQ(edges_of(-kOne).low, -1.125);
  EXPECT_EQ(edges_of(-kOne).high, -1);
  EXPECT_EQ(edges_of(0).high, std::ldexp(1, -126));
  EXPECT_EQ(edges_of(0).low, -std::ldexp(1, -126));
  EXPECT_EQ(edges_of(255 * 8 - 1).high, std::ldexp(1, 128));
  for (std::int32_t bin = -2039; bin < 2039; ++bin) {
    if (bin >= -8 && bin < 8) continue;  // bin 0 has no neighbours but these
    EXPECT_EQ(edges_of(bin).high, edges_of(bin + 1).low) << bin;
  }
  EXPECT_EQ(edges_of(-8).high, edges_of(0).low);
  EXPECT_EQ(edges_of(0).high, edges_of(8).low);
}

// Values of all sizes; their number is no multiple of a block or of a vector.
std::vector<float> many_values() {
  std::vector<float> values;
  for (int i = 0; i < 10'007; ++i) {
    const float value = std::ldexp(1 + static_cast<float>(i % 97) / 97, i % 61 - 30);
    values.push_back(i % 3 == 0 ? -value : value);
  }
  values[5000] = kNan;  // its block is counted value by value
  return values;
}

TEST(ValueHistogram, OfManyValuesIsThatOfASlowCount) {
  const std::vector<float> values = many_values();
  const Histogram all = count_values(values);
  double min = kInfinity, max = -kInfinity, sum = 0, squares = 0;
  for (const float value : values) {
    if (std::isnan(value)) continue;
    min = std::fmin(min, value), max = std::fmax(max, value);
    sum += value, squares += static_cast<double>(value) * value;
  }
  EXPECT_EQ(all.n, 10'006);
  EXPECT_EQ(all.min, min);
  EXPECT_EQ(all.max, max);
  EXPECT_NEAR(all.sum, sum, 1e-12 * std::sqrt(squares * 1e4));
  EXPECT_NEAR(all.sum_squares, squares, 1e-12 * squares);
  std::int64_t found = 0;
  for (std::size_t i = 0; i < all.bins.size(); ++i) {
    const BinEdges edges = edges_of(all.bins[i]);
    std::int64_t inside = 0;
    for (const float value : values) {
      inside += all.bins[i] > 0 ? value >= edges.low && value < edges.high
                                : value > edges.low && value <= edges.high;
    }
    EXPECT_EQ(all.counts[i], inside) << all.bins[i];
    found += inside;
  }
  EXPECT_EQ(found, all.n);
}

TEST(ValueHistogram, OfPartsIsThatOfTheWhole) {
  const std::vector<float> values = many_values();
  const std::span<const float> all = values;
  const Histogram whole = count_values(all);
  Histogram parts;
  for (const auto part : {all.first(100), all.subspan(100, 0), all.subspan(100)}) {
    add(parts, from_wire<Histogram>(to_wire(count_values(part))));  // ranks send them so
  }
  EXPECT_EQ(parts.n, whole.n);
  EXPECT_EQ(parts.not_finite, 1);
  EXPECT_EQ(parts.min, whole.min);
  EXPECT_EQ(parts.max, whole.max);
  EXPECT_NEAR(parts.sum, whole.sum, 1e-12 * whole.sum_squares);
  EXPECT_EQ(parts.bins, whole.bins);
  EXPECT_EQ(parts.counts, whole.counts);
}

}  // namespace
}  // namespace scalemark::tensorboard
