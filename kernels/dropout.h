// Dropout masks from a counter: element (row, column) of a mask depends on the mask's key alone, so
// that any thread may draw any part of it. Knows no tensor.
//
// A mask has one bit per element, which is 1 where the element is kept. Its row `row` is a sequence
// of groups of 128 elements. Group `g` is made of the 16 blocks 16 g + b of Philox4x32-10
// (philox.h) with the mask's key, with `row` in the upper half of the counter and the block in the
// lower half (in torch's at::Philox4_32: seed = key, subsequence = row, offset = block). Element 32
// w + 2 b + h of the group is kept if the low (h = 0) or high (h = 1) 16 bits of word w of block b
// are not below the threshold. Bits that fill up a row's last group have no meaning.
#pragma once

#include <cstdint>

namespace scalemark::kernels {

struct Dropout {
  std::uint64_t key = 0;        // differs from mask to mask
  std::uint32_t threshold = 0;  // an element is dropped with probability threshold / 65536
  double scale = 1;             // 1 / (1 - that probability), which multiplies kept elements
};

// The probability is rounded to 2^-16; it must be at least 0 and below 1, also after rounding.
Dropout dropout_of(double probability, std::uint64_t key);

// Returns the number of 32-bit words for a row of so many elements.
static constexpr std::int64_t mask_words(std::int64_t columns) { return (columns + 127) / 128 * 4; }

}  // namespace scalemark::kernels
