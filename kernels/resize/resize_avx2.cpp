#include <immintrin.h>

#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {
namespace {

// 16 words.
struct Vector {
  static constexpr int kLanes = 16;
  __m256i value;

  static Vector zero() { return {_mm256_setzero_si256()}; }
  static Vector all_words(int word) { return {_mm256_set1_epi16(static_cast<short>(word))}; }
  static Vector all_pairs(int pair) { return {_mm256_set1_epi32(pair)}; }
  static Vector pair(const std::int16_t* words) {
    int both = 0;
    __builtin_memcpy(&both, words, sizeof both);
    return all_pairs(both);
  }
  static Vector load(const void* from) {
    return {_mm256_loadu_si256(static_cast<const __m256i*>(from))};
  }
  void store(void* to) const { _mm256_storeu_si256(static_cast<__m256i*>(to), value); }
  void store_part(int part, std::uint8_t* to) const {
    const __m128i half =
        part == 0 ? _mm256_castsi256_si128(value) : _mm256_extracti128_si256(value, 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), half);
  }

  friend Vector low_bytes(Vector a, Vector b) { return {_mm256_unpacklo_epi8(a.value, b.value)}; }
  friend Vector high_bytes(Vector a, Vector b) { return {_mm256_unpackhi_epi8(a.value, b.value)}; }
  friend Vector low_words(Vector a, Vector b) { return {_mm256_unpacklo_epi16(a.value, b.value)}; }
  friend Vector high_words(Vector a, Vector b) { return {_mm256_unpackhi_epi16(a.value, b.value)}; }
  friend Vector low_pairs(Vector a, Vector b) { return {_mm256_unpacklo_epi32(a.value, b.value)}; }
  friend Vector high_pairs(Vector a, Vector b) { return {_mm256_unpackhi_epi32(a.value, b.value)}; }
  friend Vector low_quads(Vector a, Vector b) { return {_mm256_unpacklo_epi64(a.value, b.value)}; }
  friend Vector high_quads(Vector a, Vector b) { return {_mm256_unpackhi_epi64(a.value, b.value)}; }
  friend Vector pack_pairs(Vector a, Vector b) { return {_mm256_packs_epi32(a.value, b.value)}; }
  friend Vector pack_bytes(Vector a, Vector b) { return {_mm256_packus_epi16(a.value, b.value)}; }
  friend Vector multiply_pairs(Vector a, Vector b) { return {_mm256_madd_epi16(a.value, b.value)}; }
  friend Vector add_pairs(Vector a, Vector b) { return {_mm256_add_epi32(a.value, b.value)}; }
  friend Vector add_words(Vector a, Vector b) { return {_mm256_add_epi16(a.value, b.value)}; }
  friend Vector sub_words(Vector a, Vector b) { return {_mm256_sub_epi16(a.value, b.value)}; }
  friend Vector rounded_product(Vector a, Vector b) {
    return {_mm256_mulhrs_epi16(a.value, b.value)};
  }
};

template <int kBits>
Vector shifted(Vector pairs) {
  return {_mm256_srai_epi32(pairs.value, kBits)};
}
template <int kBits>
Vector shifted_words(Vector words) {
  return {_mm256_srai_epi16(words.value, kBits)};
}

// Moves part p of v[g] to part g of v[p].
void exchange_parts(Vector* v) {
  const __m256i first = _mm256_permute2x128_si256(v[0].value, v[1].value, 0x20);
  v[1].value = _mm256_permute2x128_si256(v[0].value, v[1].value, 0x31);
  v[0].value = first;
}

#include "kernels/resize/bands.inc"

}  // namespace

const ResizeKernels& resize_avx2() { return kTable; }

}  // namespace scalemark::kernels
