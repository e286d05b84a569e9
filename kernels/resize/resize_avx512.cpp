#include <immintrin.h>

#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {
namespace {

// 32 words.
struct Vector {
  static constexpr int kLanes = 32;
  __m512i value;

  static Vector zero() { return {_mm512_setzero_si512()}; }
  static Vector all_words(int word) { return {_mm512_set1_epi16(static_cast<short>(word))}; }
  static Vector all_pairs(int pair) { return {_mm512_set1_epi32(pair)}; }
  static Vector pair(const std::int16_t* words) {
    int both = 0;
    __builtin_memcpy(&both, words, sizeof both);
    return all_pairs(both);
  }
  static Vector load(const void* from) { return {_mm512_loadu_si512(from)}; }
  void store(void* to) const { _mm512_storeu_si512(to, value); }
  void store_part(int part, std::uint8_t* to) const {
    auto* target = reinterpret_cast<__m128i*>(to);
    switch (part) {
      case 0:
        return _mm_storeu_si128(target, _mm512_castsi512_si128(value));
      case 1:
        return _mm_storeu_si128(target, _mm512_extracti32x4_epi32(value, 1));
      case 2:
        return _mm_storeu_si128(target, _mm512_extracti32x4_epi32(value, 2));
      default:
        return _mm_storeu_si128(target, _mm512_extracti32x4_epi32(value, 3));
    }
  }

  friend Vector low_bytes(Vector a, Vector b) { return {_mm512_unpacklo_epi8(a.value, b.value)}; }
  friend Vector high_bytes(Vector a, Vector b) { return {_mm512_unpackhi_epi8(a.value, b.value)}; }
  friend Vector low_words(Vector a, Vector b) { return {_mm512_unpacklo_epi16(a.value, b.value)}; }
  friend Vector high_words(Vector a, Vector b) { return {_mm512_unpackhi_epi16(a.value, b.value)}; }
  friend Vector low_pairs(Vector a, Vector b) { return {_mm512_unpacklo_epi32(a.value, b.value)}; }
  friend Vector high_pairs(Vector a, Vector b) { return {_mm512_unpackhi_epi32(a.value, b.value)}; }
  friend Vector low_quads(Vector a, Vector b) { return {_mm512_unpacklo_epi64(a.value, b.value)}; }
  friend Vector high_quads(Vector a, Vector b) { return {_mm512_unpackhi_epi64(a.value, b.value)}; }
  friend Vector pack_pairs(Vector a, Vector b) { return {_mm512_packs_epi32(a.value, b.value)}; }
  friend Vector pack_bytes(Vector a, Vector b) { return {_mm512_packus_epi16(a.value, b.value)}; }
  friend Vector multiply_pairs(Vector a, Vector b) { return {_mm512_madd_epi16(a.value, b.value)}; }
  friend Vector add_pairs(Vector a, Vector b) { return {_mm512_add_epi32(a.value, b.value)}; }
  friend Vector add_words(Vector a, Vector b) { return {_mm512_add_epi16(a.value, b.value)}; }
  friend Vector sub_words(Vector a, Vector b) { return {_mm512_sub_epi16(a.value, b.value)}; }
  friend Vector rounded_product(Vector a, Vector b) {
    return {_mm512_mulhrs_epi16(a.value, b.value)};
  }
};

template <int kBits>
Vector shifted(Vector pairs) {
  return {_mm512_srai_epi32(pairs.value, kBits)};
}
template <int kBits>
Vector shifted_words(Vector words) {
  return {_mm512_srai_epi16(words.value, kBits)};
}

// Moves part p of v[g] to part g of v[p].
void exchange_parts(Vector* v) {
  const __m512i a = _mm512_shuffle_i32x4(v[0].value, v[1].value, 0x44);  // parts 0 and 1 of each
  const __m512i b = _mm512_shuffle_i32x4(v[0].value, v[1].value, 0xee);  // parts 2 and 3 of each
  const __m512i c = _mm512_shuffle_i32x4(v[2].value, v[3].value, 0x44);
  const __m512i d = _mm512_shuffle_i32x4(v[2].value, v[3].value, 0xee);
  v[0].value = _mm512_shuffle_i32x4(a, c, 0x88);
  v[1].value = _mm512_shuffle_i32x4(a, c, 0xdd);
  v[2].value = _mm512_shuffle_i32x4(b, d, 0x88);
  v[3].value = _mm512_shuffle_i32x4(b, d, 0xdd);
}

#include "kernels/resize/bands.inc"

}  // namespace

const ResizeKernels& resize_avx512() { return kTable; }

}  // namespace scalemark::kernels
