// Compiled with -mavx2 -mfma; called only where runs(InstructionSet::kAvx2).
#include <immintrin.h>

#include <cstdint>

#include "kernels/dropout.h"

namespace scalemark::kernels {
namespace {

constexpr int kLanes = 8;

// One word of a counter for four blocks: in the low halves of four 64-bit lanes. The high halves
// hold remains of multiplications that nothing reads.
struct Counter {
  __m256i words[4];
};

__m256i two_xors(__m256i a, __m256i b, std::uint32_t c) {
  return _mm256_xor_si256(_mm256_xor_si256(a, b), _mm256_set1_epi64x(c));
}

Counter next_round(const Counter& c, std::uint32_t low, std::uint32_t high) {
  const __m256i a = _mm256_mul_epu32(c.words[0], _mm256_set1_epi64x(0xD2511F53));
  const __m256i b = _mm256_mul_epu32(c.words[2], _mm256_set1_epi64x(0xCD9E8D57));
  return {{two_xors(_mm256_srli_epi64(b, 32), c.words[1], low), b,
           two_xors(_mm256_srli_epi64(a, 32), c.words[3], high), a}};
}

// Returns the bits of 16 words; `first` and `second` hold eight each.
std::uint32_t keep_bits(__m256i first, __m256i second, std::uint32_t threshold) {
  const __m256i least = _mm256_set1_epi16(static_cast<std::int16_t>(threshold));
  const __m256i a = _mm256_cmpeq_epi16(_mm256_max_epu16(first, least), first);
  const __m256i b = _mm256_cmpeq_epi16(_mm256_max_epu16(second, least), second);
  const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(a, b), 0xD8);
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes));
}

__m256i low_halves(__m256i a, __m256i b) {
  const __m256 mixed =
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _MM_SHUFFLE(2, 0, 2, 0));
  return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xD8);
}

void draw_group(const Dropout& dropout, std::uint64_t row, std::uint32_t group,
                std::uint32_t* bits) {
  auto low = static_cast<std::uint32_t>(dropout.key);
  auto high = static_cast<std::uint32_t>(dropout.key >> 32);
  const __m256i row_low = _mm256_set1_epi64x(static_cast<std::uint32_t>(row));
  const __m256i row_high = _mm256_set1_epi64x(static_cast<std::uint32_t>(row >> 32));
  Counter counters[4];
  for (int i = 0; i < 4; ++i) {
    const __m256i block =
        _mm256_add_epi64(_mm256_set1_epi64x(16 * static_cast<std::int64_t>(group) + 4 * i),
                         _mm256_setr_epi64x(0, 1, 2, 3));
    counters[i] = {{block, _mm256_setzero_si256(), row_low, row_high}};
  }
  for (int round = 0; round < 10; ++round) {
    for (auto& counter : counters) counter = next_round(counter, low, high);
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  for (int word = 0; word < 4; ++word) {
    bits[word] =
        keep_bits(low_halves(counters[0].words[word], counters[1].words[word]),
                  low_halves(counters[2].words[word], counters[3].words[word]), dropout.threshold);
  }
}

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/transformer_kernels.inc"

namespace scalemark::kernels {

constinit const TransformerKernels kTransformerKernelsOfAvx2 = table();

}  // namespace scalemark::kernels
