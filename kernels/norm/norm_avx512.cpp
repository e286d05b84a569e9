#include <immintrin.h>

#include "kernels/norm/norm_kernels.h"

namespace scalemark::kernels {
namespace {

// Holds 16 floats. bf16 is converted by shifts: the passes wait for memory, so that bf16
// instructions would gain nothing.
struct Wide {
  static constexpr std::int64_t kLanes = 16;
  using Mask = __mmask16;
  __m512 value;

  static Wide load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Wide load(const BFloat16* from) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return {_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16))};
  }
  void store(float* to) const { _mm512_storeu_ps(to, value); }

  // Rounds like narrowed() of passes.inc.
  void store(BFloat16* to) const {
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i high = _mm512_srli_epi32(bits, 16);
    const __m512i odd = _mm512_and_si512(high, _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    const Mask is_nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i words =
        _mm512_mask_or_epi32(_mm512_srli_epi32(up, 16), is_nan, high, _mm512_set1_epi32(0x40));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(words));
  }

  static Mask load_mask(const std::uint8_t* row, std::int64_t c) {
    Mask mask;
    __builtin_memcpy(&mask, row + c / 8, sizeof mask);
    return mask;
  }
  static void store_mask(Mask mask, std::uint8_t* row, std::int64_t c) {
    __builtin_memcpy(row + c / 8, &mask, sizeof mask);
  }

  Mask passes_relu() const { return _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NLE_UQ); }
  Wide where(Mask mask) const { return {_mm512_maskz_mov_ps(mask, value)}; }

  friend Wide operator+(Wide a, Wide b) { return {_mm512_add_ps(a.value, b.value)}; }
  friend Wide operator-(Wide a, Wide b) { return {_mm512_sub_ps(a.value, b.value)}; }
  friend Wide operator*(Wide a, Wide b) { return {_mm512_mul_ps(a.value, b.value)}; }
  friend Wide multiply_add(Wide a, Wide b, Wide c) {
    return {_mm512_fmadd_ps(a.value, b.value, c.value)};
  }
};

#include "kernels/norm/passes.inc"

}  // namespace

template <>
const NormKernels<float>& norm_avx512() {
  return kTable<Wide, float>;
}
template <>
const NormKernels<BFloat16>& norm_avx512() {
  return kTable<Wide, BFloat16>;
}

}  // namespace scalemark::kernels
