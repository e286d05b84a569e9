// Where the bits of each row of blocks begin in what libjpeg's Huffman encoder writes. Private to
// jpeg_rows.cpp and jpeg_row_bits.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/images/jpeg_errors.h"
#include "data/images/jpeg_rows.h"

namespace scalemark::data {

struct RowBits {
  JpegRowCounts counts;              // without places of the header
  std::vector<std::uint64_t> begin;  // bit of each row, counted from the first; then all bits
  std::vector<JpegRowStart> dc;      // predictions where the row begins
};

// `coefficients` are those of `in`, which `out` has written with the tables that it holds now. May
// leave by a jump, so that the caller holds `bits` outside.
void count_row_bits(jpeg_decompress_struct& in, jvirt_barray_ptr* coefficients,
                    const jpeg_compress_struct& out, RowBits& bits);

// The same in the bytes of the written file; absent when they do not fit.
std::optional<JpegRows> find_rows(std::span<const std::uint8_t> jpeg, const RowBits& bits);

}  // namespace scalemark::data
