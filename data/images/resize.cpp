#include "data/images/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/error.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace scalemark::data {
namespace {

// Weights are Q14, values between the passes Q7: a sum of products fits 32 bits signed, a value 16.
constexpr int kWeightBits = 14;
constexpr int kMiddleBits = 7;

// Which source pixels make one target pixel. Weights sum to exactly 1 << kWeightBits.
struct Taps {
  int first = 0;
  int count = 0;            // even: SIMD takes pairs; a weight may be 0
  std::size_t weights = 0;  // index of the first in Filter::weights
};

struct Filter {
  std::vector<Taps> taps;
  std::vector<std::int16_t> weights;
};

double triangle(double x) { return std::max(0.0, 1.0 - std::abs(x)); }

// Rounds the running sum rather than each weight, so that the weights sum to one exactly.
void append_normalised(const std::vector<double>& exact, std::vector<std::int16_t>& weights) {
  double sum = 0;
  for (const double w : exact) sum += w;
  double running = 0;
  long rounded = 0;
  for (const double w : exact) {
    running += w;
    const long next = std::lround(running / sum * (1 << kWeightBits));
    weights.push_back(static_cast<std::int16_t>(next - rounded));
    rounded = next;
  }
}

// Taps for target pixels [begin, begin + count) of `full` that span [low, low + length) of a source
// line of `source_size` pixels. Pillow's rule: Resample.c, precompute_coeffs.
Filter make_filter(double low, double length, int full, int begin, int count, int source_size) {
  const double scale = length / full;
  const double filter_scale = std::max(scale, 1.0);
  const int lowest = std::max(0, static_cast<int>(std::floor(low + 1e-9)));
  const int end = std::min(source_size, static_cast<int>(std::ceil(low + length - 1e-9)));
  Filter filter;
  std::vector<double> exact;
  for (int i = begin; i < begin + count; ++i) {
    const double centre = low + (i + 0.5) * scale;
    const int first = std::max(static_cast<int>(centre - filter_scale + 0.5), lowest);
    const int last = std::min(static_cast<int>(centre + filter_scale + 0.5), end);
    exact.clear();
    for (int x = first; x < last; ++x) {
      exact.push_back(triangle((x - centre + 0.5) / filter_scale));
    }
    const Taps taps{
        .first = first, .count = (last - first + 1) / 2 * 2, .weights = filter.weights.size()};
    append_normalised(exact, filter.weights);
    filter.weights.resize(taps.weights + static_cast<std::size_t>(taps.count));
    filter.taps.push_back(taps);
  }
  return filter;
}

#if defined(__SSE2__)
// Two weights, four times: the partners of two interleaved pixels or rows.
__m128i load_pair(const std::int16_t* weights) {
  std::int32_t pair = 0;
  std::memcpy(&pair, weights, sizeof pair);
  return _mm_set1_epi32(pair);
}

void store_rgb(__m128i pixel, std::uint8_t* target) {
  const int rgb = _mm_cvtsi128_si32(pixel);
  std::memcpy(target, &rgb, 3);
}
#endif

// One line between the passes: the weighted sum of rows of bytes, Q7.
void sum_rows(std::span<const std::uint8_t* const> rows, const std::int16_t* weights,
              std::size_t bytes, std::int16_t* middle) {
  constexpr int kShift = kWeightBits - kMiddleBits;
  std::size_t x = 0;
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  const __m128i half = _mm_set1_epi32(1 << (kShift - 1));
  for (; x + 16 <= bytes; x += 16) {
    __m128i sum[4] = {half, half, half, half};
    for (std::size_t k = 0; k < rows.size(); k += 2) {
      const __m128i pair = load_pair(weights + k);
      const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[k] + x));
      const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[k + 1] + x));
      const __m128i low = _mm_unpacklo_epi8(a, b);
      const __m128i high = _mm_unpackhi_epi8(a, b);
      sum[0] = _mm_add_epi32(sum[0], _mm_madd_epi16(_mm_unpacklo_epi8(low, zero), pair));
      sum[1] = _mm_add_epi32(sum[1], _mm_madd_epi16(_mm_unpackhi_epi8(low, zero), pair));
      sum[2] = _mm_add_epi32(sum[2], _mm_madd_epi16(_mm_unpacklo_epi8(high, zero), pair));
      sum[3] = _mm_add_epi32(sum[3], _mm_madd_epi16(_mm_unpackhi_epi8(high, zero), pair));
    }
    for (__m128i& s : sum) s = _mm_srai_epi32(s, kShift);
    auto* out = reinterpret_cast<__m128i*>(middle + x);
    _mm_storeu_si128(out, _mm_packs_epi32(sum[0], sum[1]));
    _mm_storeu_si128(out + 1, _mm_packs_epi32(sum[2], sum[3]));
  }
#endif
  for (; x < bytes; ++x) {
    int sum = 1 << (kShift - 1);
    for (std::size_t k = 0; k < rows.size(); ++k) sum += rows[k][x] * weights[k];
    middle[x] = static_cast<std::int16_t>(sum >> kShift);
  }
}

// Lines that go through the second pass together: they share its taps.
constexpr int kLines = 4;
constexpr int kFinalShift = kWeightBits + kMiddleBits;

struct Lines {
  std::vector<std::int16_t> values;  // kLines lines of `pitch`
  std::size_t pitch = 0;
};

// One target pixel of each of the first `count` lines, `target_pitch` apart. `place`: of the first
// tap in a line.
void sum_pixels(const Lines& lines, std::size_t place, int count, const Taps& taps,
                const std::int16_t* weights, std::uint8_t* target, std::size_t target_pitch) {
  const std::int16_t* middle = lines.values.data() + place;
#if defined(__SSE2__)
  const __m128i half = _mm_set1_epi32(1 << (kFinalShift - 1));
  __m128i sum[kLines] = {half, half, half, half};
  for (int k = 0; k < taps.count; k += 2, middle += 6) {
    const __m128i pair = load_pair(weights + k);
    for (std::size_t i = 0; i < kLines; ++i) {
      const auto* pixels = reinterpret_cast<const __m128i*>(middle + i * lines.pitch);
      const auto* next = reinterpret_cast<const __m128i*>(middle + i * lines.pitch + 3);
      const __m128i both = _mm_unpacklo_epi16(_mm_loadl_epi64(pixels), _mm_loadl_epi64(next));
      sum[i] = _mm_add_epi32(sum[i], _mm_madd_epi16(both, pair));
    }
  }
  // All four lines are packed at once and stay in registers; only `count` of them are stored.
  for (__m128i& s : sum) s = _mm_srai_epi32(s, kFinalShift);
  const __m128i pixels =
      _mm_packus_epi16(_mm_packs_epi32(sum[0], sum[1]), _mm_packs_epi32(sum[2], sum[3]));
  store_rgb(pixels, target);
  if (count > 1) store_rgb(_mm_srli_si128(pixels, 4), target + target_pitch);
  if (count > 2) store_rgb(_mm_srli_si128(pixels, 8), target + 2 * target_pitch);
  if (count > 3) store_rgb(_mm_srli_si128(pixels, 12), target + 3 * target_pitch);
#else
  for (int i = 0; i < count; ++i, target += target_pitch, middle += lines.pitch) {
    for (int c = 0; c < 3; ++c) {
      int sum = 1 << (kFinalShift - 1);
      for (int k = 0; k < taps.count; ++k) sum += middle[3 * k + c] * weights[k];
      target[c] = static_cast<std::uint8_t>(std::clamp(sum >> kFinalShift, 0, 255));
    }
  }
#endif
}

void refuse_if_invalid(const Pixels& source, const ResizePlan& plan) {
  const RealBox& box = plan.box;
  const Box& window = plan.window;
  constexpr double kRounding = 1e-6;
  const bool inside_source = box.width > 0 && box.height > 0 && box.left >= -kRounding &&
                             box.top >= -kRounding &&
                             box.left + box.width <= source.width + kRounding &&
                             box.top + box.height <= source.height + kRounding;
  const bool inside_target = window.width > 0 && window.height > 0 && window.left >= 0 &&
                             window.top >= 0 && window.left + window.width <= plan.full.width &&
                             window.top + window.height <= plan.full.height;
  if (!inside_source || !inside_target) throw bug("resize: a box outside its image");
}

}  // namespace

void resize(const Pixels& source, const ResizePlan& plan, std::uint8_t* target) {
  refuse_if_invalid(source, plan);
  const RealBox& box = plan.box;
  const Box& window = plan.window;
  const Filter across =
      make_filter(box.left, box.width, plan.full.width, window.left, window.width, source.width);
  const Filter down =
      make_filter(box.top, box.height, plan.full.height, window.top, window.height, source.height);

  // Rows first: that pass costs less per pixel, and there are more pixels before it than after.
  const int first = across.taps.front().first;
  const int columns =
      std::min(across.taps.back().first + across.taps.back().count, source.width) - first;
  const std::size_t bytes = 3 * static_cast<std::size_t>(columns);
  constexpr std::size_t kSlack = 8;  // vector loads and the unused partner of an odd tap
  Lines lines{.pitch = bytes + kSlack};
  lines.values.resize(kLines * lines.pitch);

  const std::size_t target_pitch = 3 * static_cast<std::size_t>(window.width);
  std::vector<const std::uint8_t*> rows;
  for (int y = 0; y < window.height; y += kLines, target += kLines * target_pitch) {
    const int count = std::min(kLines, window.height - y);
    for (int i = 0; i < count; ++i) {
      const Taps& taps = down.taps[static_cast<std::size_t>(y + i)];
      rows.clear();
      for (int k = 0; k < taps.count; ++k) {  // the unused partner may lie outside
        rows.push_back(source.row(std::min(taps.first + k, source.height - 1)) + 3 * first);
      }
      sum_rows(rows, down.weights.data() + taps.weights, bytes,
               lines.values.data() + static_cast<std::size_t>(i) * lines.pitch);
    }
    for (int x = 0; x < window.width; ++x) {
      const Taps& taps = across.taps[static_cast<std::size_t>(x)];
      const int column = plan.flip ? window.width - 1 - x : x;
      sum_pixels(lines, 3 * static_cast<std::size_t>(taps.first - first), count, taps,
                 across.weights.data() + taps.weights, target + 3 * column, target_pitch);
    }
  }
}

}  // namespace scalemark::data
