// The 16-bit floating point types of NCCL, as pairs of conversions; rounds to nearest, ties to
// even.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace nullnccl {

struct Half {
  std::uint16_t bits = 0;
};
struct Bfloat16 {
  std::uint16_t bits = 0;
};

inline float widen(Bfloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

inline float widen(Half value) {
  const int exponent = (value.bits >> 10) & 0x1f;
  const int mantissa = value.bits & 0x3ff;
  float magnitude = 0;
  if (exponent == 0x1f) {
    magnitude = mantissa != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(mantissa + 0x400), exponent - 25);
  }
  return (value.bits & 0x8000) != 0 ? -magnitude : magnitude;
}

inline Bfloat16 narrow_to(Bfloat16, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>((bits >> 16) | 0x40)};
  const std::uint32_t rounding = 0x7fff + ((bits >> 16) & 1);
  return {static_cast<std::uint16_t>((bits + rounding) >> 16)};
}

inline Half narrow_to(Half, float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return {static_cast<std::uint16_t>(sign | 0x7e00)};
  if (magnitude >= 65520.0f) return {static_cast<std::uint16_t>(sign | 0x7c00)};
  if (magnitude == 0) return {sign};
  int exponent = 0;
  std::frexp(magnitude, &exponent);               // magnitude in [2^(exponent-1), 2^exponent)
  const int step = std::max(exponent - 11, -24);  // the distance of neighbours is 2^step
  const auto units = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  // 1024 to 2048 units make a normal number, fewer of 2^-24 a subnormal one: a carry moves on into
  // the exponent.
  const auto bits = units + (static_cast<std::uint32_t>(step + 24) << 10);
  return {static_cast<std::uint16_t>(sign | bits)};
}

}  // namespace nullnccl
