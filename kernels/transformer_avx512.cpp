// Compiled with -mavx512f, bw, dq and vl; called only where runs(InstructionSet::kAvx512).
#include <immintrin.h>

#include <cstdint>

#include "kernels/dropout.h"

namespace scalemark::kernels {
namespace {

constexpr int kLanes = 16;

// One word of a counter for eight blocks: in the low halves of eight 64-bit lanes. The high halves
// hold remains of multiplications that nothing reads.
struct Counter {
  __m512i words[4];
};

__m512i two_xors(__m512i a, __m512i b, std::uint32_t c) {
  constexpr int kXorOfAll = 0x96;
  return _mm512_ternarylogic_epi64(a, b, _mm512_set1_epi64(c), kXorOfAll);
}

Counter next_round(const Counter& c, std::uint32_t low, std::uint32_t high) {
  const __m512i a = _mm512_mul_epu32(c.words[0], _mm512_set1_epi64(0xD2511F53));
  const __m512i b = _mm512_mul_epu32(c.words[2], _mm512_set1_epi64(0xCD9E8D57));
  return {{two_xors(_mm512_srli_epi64(b, 32), c.words[1], low), b,
           two_xors(_mm512_srli_epi64(a, 32), c.words[3], high), a}};
}

__m512i low_halves(__m512i a, __m512i b) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_epi32(a, even, b);
}

void draw_group(const Dropout& dropout, std::uint64_t row, std::uint32_t group,
                std::uint32_t* bits) {
  auto low = static_cast<std::uint32_t>(dropout.key);
  auto high = static_cast<std::uint32_t>(dropout.key >> 32);
  const __m512i row_low = _mm512_set1_epi64(static_cast<std::uint32_t>(row));
  const __m512i row_high = _mm512_set1_epi64(static_cast<std::uint32_t>(row >> 32));
  const __m512i block = _mm512_add_epi64(_mm512_set1_epi64(16 * static_cast<std::int64_t>(group)),
                                         _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
  Counter first{{block, _mm512_setzero_si512(), row_low, row_high}}, second = first;
  second.words[0] = _mm512_add_epi64(block, _mm512_set1_epi64(8));
  for (int round = 0; round < 10; ++round) {
    first = next_round(first, low, high);
    second = next_round(second, low, high);
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
  const __m512i least = _mm512_set1_epi16(static_cast<std::int16_t>(dropout.threshold));
  for (int word = 0; word < 4; ++word) {
    bits[word] = _mm512_cmpge_epu16_mask(low_halves(first.words[word], second.words[word]), least);
  }
}

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/transformer_kernels.inc"

namespace scalemark::kernels {

constinit const TransformerKernels kTransformerKernelsOfAvx512 = table();

}  // namespace scalemark::kernels
