#include <immintrin.h>

#include "kernels/norm/norm_kernels.h"

namespace scalemark::kernels {
namespace {

// 8 floats.
struct Wide {
  static constexpr std::int64_t kLanes = 8;
  using Mask = __m256;  // all bits of a lane are set, or none
  __m256 value;

  static Wide load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Wide load(const BFloat16* from) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16))};
  }
  void store(float* to) const { _mm256_storeu_ps(to, value); }

  // Rounds like narrowed() of passes.inc.
  void store(BFloat16* to) const {
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i high = _mm256_srli_epi32(bits, 16);
    const __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    const __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
    const __m256 is_nan = _mm256_cmp_ps(value, value, _CMP_UNORD_Q);
    const __m256i words =
        _mm256_blendv_epi8(_mm256_srli_epi32(up, 16), quiet, _mm256_castps_si256(is_nan));
    const __m128i packed =
        _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), packed);
  }

  static Mask load_mask(const std::uint8_t* row, std::int64_t c) {
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i bits = _mm256_and_si256(_mm256_set1_epi32(row[c / 8]), lanes);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(bits, lanes));
  }
  static void store_mask(Mask mask, std::uint8_t* row, std::int64_t c) {
    row[c / 8] = static_cast<std::uint8_t>(_mm256_movemask_ps(mask));
  }

  Mask passes_relu() const { return _mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_NLE_UQ); }
  Wide where(Mask mask) const { return {_mm256_and_ps(value, mask)}; }

  friend Wide operator+(Wide a, Wide b) { return {_mm256_add_ps(a.value, b.value)}; }
  friend Wide operator-(Wide a, Wide b) { return {_mm256_sub_ps(a.value, b.value)}; }
  friend Wide operator*(Wide a, Wide b) { return {_mm256_mul_ps(a.value, b.value)}; }
  friend Wide multiply_add(Wide a, Wide b, Wide c) {
    return {_mm256_fmadd_ps(a.value, b.value, c.value)};
  }
};

#include "kernels/norm/passes.inc"

}  // namespace

template <>
const NormKernels<float>& norm_avx2() {
  return kTable<Wide, float>;
}
template <>
const NormKernels<BFloat16>& norm_avx2() {
  return kTable<Wide, BFloat16>;
}

}  // namespace scalemark::kernels
