#include "core/live/tensorboard/histogram.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

namespace scalemark::tensorboard {
namespace {

// The upper bits of a float are its sign, its exponent and the first bits of its mantissa: an index
// that grows with the magnitude.
constexpr int kDroppedBits = 20, kPerOctave = 8, kExponentBias = 127;
constexpr std::size_t kIndices = 4096, kNegative = kIndices / 2;
constexpr std::size_t kNormal = kPerOctave, kNotFinite = 255 * kPerOctave;  // first indices
constexpr std::size_t kBlock = 4096;             // values that stay in the cache between passes
constexpr std::size_t kMostCounted = 1U << 30U;  // values that the counters have room for

// An increment waits for an earlier one of the same counter: neighbours are counted in other
// tables.
constexpr std::size_t kTables = 4;
using Table = std::array<std::uint32_t, kIndices>;  // half the cache that wider counters take
using Tables = std::vector<Table>;

void count_block(Tables& tables, std::span<const float> values) {
  const auto index = [](float value) {
    return std::bit_cast<std::uint32_t>(value) >> kDroppedBits;
  };
  std::size_t i = 0;
  for (; i + kTables <= values.size(); i += kTables) {
    for (std::size_t t = 0; t < kTables; ++t) ++tables[t][index(values[i + t])];
  }
  for (; i < values.size(); ++i) ++tables[0][index(values[i])];
}

// With a fixed number of lanes, sums are added in the same order whatever the width of registers.
constexpr std::size_t kLanes = 8;
struct Sums {
  std::array<float, kLanes> min{}, max{};
  std::array<double, kLanes> sum{}, squares{};
};

Sums no_sums() {
  Sums sums;
  sums.min.fill(std::numeric_limits<float>::infinity());
  sums.max.fill(-std::numeric_limits<float>::infinity());
  return sums;
}

// GCC 12 makes scalars of this loop over plain arrays, and vectors of it where they have a type.
// AVX2 would save a tenth of the whole count.
void find_extremes(Sums& sums, std::span<const float> values) {
  using Floats [[gnu::vector_size(kLanes / 2 * sizeof(float))]] = float;
  std::array<Floats, 2> min, max, next;
  std::memcpy(&min, &sums.min, sizeof min);
  std::memcpy(&max, &sums.max, sizeof max);
  for (std::size_t i = 0; i + kLanes <= values.size(); i += kLanes) {
    std::memcpy(&next, &values[i], sizeof next);
    for (std::size_t half = 0; half < 2; ++half) {
      min[half] = next[half] < min[half] ? next[half] : min[half];
      max[half] = next[half] > max[half] ? next[half] : max[half];
    }
  }
  std::memcpy(&sums.min, &min, sizeof min);
  std::memcpy(&sums.max, &max, sizeof max);
}

void add_up(Sums& sums, std::span<const float> values) {
  using Doubles [[gnu::vector_size(2 * sizeof(double))]] = double;
  constexpr std::size_t kPairs = kLanes / 2;
  std::array<Doubles, kPairs> sum, squares;
  std::memcpy(&sum, &sums.sum, sizeof sum);
  std::memcpy(&squares, &sums.squares, sizeof squares);
  for (std::size_t i = 0; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const float* const two = &values[i + 2 * pair];
      const Doubles next = {static_cast<double>(two[0]), static_cast<double>(two[1])};
      sum[pair] += next;
      squares[pair] += next * next;
    }
  }
  std::memcpy(&sums.sum, &sum, sizeof sum);
  std::memcpy(&sums.squares, &squares, sizeof squares);
}

Sums sums_of(std::span<const float> values) {
  Sums sums = no_sums();
  find_extremes(sums, values);
  add_up(sums, values);
  for (const float value : values.last(values.size() % kLanes)) {
    sums.min[0] = std::min(sums.min[0], value);
    sums.max[0] = std::max(sums.max[0], value);
    sums.sum[0] += static_cast<double>(value);
    sums.squares[0] += static_cast<double>(value) * static_cast<double>(value);
  }
  return sums;
}

void add_sums(Sums& all, const Sums& more) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    all.min[lane] = std::min(all.min[lane], more.min[lane]);
    all.max[lane] = std::max(all.max[lane], more.max[lane]);
    all.sum[lane] += more.sum[lane];
    all.squares[lane] += more.squares[lane];
  }
}

// Squares of finite floats do not overflow in double, so that a value that is not finite shows in
// their sum; only such a block is checked value by value.
void add_finite(Sums& all, std::span<const float> values) {
  const Sums sums = sums_of(values);
  if (std::ranges::all_of(sums.squares, [](double sum) { return std::isfinite(sum); })) {
    return add_sums(all, sums);
  }
  std::array<float, kBlock> finite{};
  const auto end = std::ranges::copy_if(values, finite.begin(), [](float value) {
                     return std::isfinite(value);
                   }).out;
  add_sums(all, sums_of({finite.begin(), end}));
}

// Signs of zero and values that are no normal floats share bin 0.
void put_counts(Histogram& histogram, const Tables& tables) {
  const auto count = [&](std::size_t index) {
    std::int64_t all = 0;
    for (const Table& table : tables) all += table[index];
    return all;
  };
  std::map<std::int32_t, std::int64_t> by_bin;
  for (std::size_t i = 0; i < kNegative; ++i) {
    const std::int64_t positive = count(i), negative = count(kNegative + i);
    if (i >= kNotFinite) {
      histogram.not_finite += positive + negative;
      continue;
    }
    const auto bin = i < kNormal ? 0 : static_cast<std::int32_t>(i);
    by_bin[bin] += positive;
    by_bin[-bin] += negative;
  }
  for (const auto& [bin, values] : by_bin) {
    if (values == 0) continue;
    histogram.bins.push_back(bin);
    histogram.counts.push_back(values);
    histogram.n += values;
  }
}

Histogram histogram_of(std::span<const float> values) {
  Tables tables(kTables, Table{});
  Sums sums = no_sums();
  for (std::size_t begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    count_block(tables, block);
    add_finite(sums, block);
  }
  Histogram histogram;
  put_counts(histogram, tables);
  if (histogram.n == 0) return histogram;
  histogram.min = static_cast<double>(std::ranges::min(sums.min));
  histogram.max = static_cast<double>(std::ranges::max(sums.max));
  for (const double sum : sums.sum) histogram.sum += sum;
  for (const double sum : sums.squares) histogram.sum_squares += sum;
  return histogram;
}

double magnitude(std::int32_t index) {
  return std::ldexp(1 + static_cast<double>(index % kPerOctave) / kPerOctave,
                    index / kPerOctave - kExponentBias);
}

}  // namespace

Histogram count_values(std::span<const float> values) {
  Histogram all;
  while (!values.empty()) {
    const auto part = values.first(std::min(kMostCounted, values.size()));
    values = values.subspan(part.size());
    add(all, histogram_of(part));
  }
  return all;
}

void add(Histogram& all, const Histogram& more) {
  if (more.n > 0) {
    all.min = all.n > 0 ? std::min(all.min, more.min) : more.min;
    all.max = all.n > 0 ? std::max(all.max, more.max) : more.max;
  }
  all.n += more.n;
  all.not_finite += more.not_finite;
  all.sum += more.sum;
  all.sum_squares += more.sum_squares;
  std::map<std::int32_t, std::int64_t> by_bin;
  for (std::size_t i = 0; i < all.bins.size(); ++i) by_bin[all.bins[i]] += all.counts[i];
  for (std::size_t i = 0; i < more.bins.size(); ++i) by_bin[more.bins[i]] += more.counts[i];
  all.bins.clear();
  all.counts.clear();
  for (const auto& [bin, values] : by_bin) {
    all.bins.push_back(bin);
    all.counts.push_back(values);
  }
}

BinEdges edges_of(std::int32_t bin) {
  if (bin > 0) return {magnitude(bin), magnitude(bin + 1)};
  if (bin < 0) return {-magnitude(1 - bin), -magnitude(-bin)};
  return {-magnitude(kNormal), magnitude(kNormal)};
}

}  // namespace scalemark::tensorboard
