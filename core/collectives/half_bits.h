// Small whole numbers as the bits of 16-bit floating point. Pure; no arithmetic in these types.
#pragma once

#include <cstdint>

#include "core/collectives/words.h"

namespace scalemark::collectives {

// bfloat16 holds every whole number up to here, binary16 and the others hold more.
inline constexpr int kMostExact = 256;

// IEEE 754 binary16, and bfloat16 (the upper half of a binary32). 0 <= value <= kMostExact: exact.
// bug() beyond.
std::uint16_t fp16_bits(int value);
std::uint16_t bf16_bits(int value);

// Takes kFp16 or kBf16; throws bug() for a type of 32 bits.
std::uint16_t half_bits(DataType type, int value);

}  // namespace scalemark::collectives
