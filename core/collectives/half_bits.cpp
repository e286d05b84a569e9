#include "core/collectives/half_bits.h"

#include <bit>
#include <string>

#include "core/base/error.h"

namespace scalemark::collectives {
namespace {

void refuse_inexact(int value) {
  if (value < 0 || value > kMostExact) {
    throw bug("no exact 16-bit number: " + std::to_string(value));
  }
}

}  // namespace

std::uint16_t fp16_bits(int value) {
  refuse_inexact(value);
  if (value == 0) return 0;
  constexpr int kBias = 15, kMantissaBits = 10;
  const int exponent = std::bit_width(static_cast<unsigned>(value)) - 1;
  const int mantissa = (value << (kMantissaBits - exponent)) & ((1 << kMantissaBits) - 1);
  return static_cast<std::uint16_t>(((exponent + kBias) << kMantissaBits) | mantissa);
}

std::uint16_t bf16_bits(int value) {
  refuse_inexact(value);
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

std::uint16_t half_bits(DataType type, int value) {
  if (type == DataType::kFp16) return fp16_bits(value);
  if (type == DataType::kBf16) return bf16_bits(value);
  throw bug(std::string(name_of(type)) + " has no 16 bits");
}

}  // namespace scalemark::collectives
