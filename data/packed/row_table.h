// What a record of encoding kRows holds before its JPEG file: where the rows of blocks lie. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/images/jpeg_rows.h"

namespace scalemark::data::packed {

// As uint32: number of rows, height of a row, place of the height, then rows + 1 places in the
// JPEG file; the file follows.
std::vector<std::uint8_t> with_row_table(const RowJpeg& jpeg);

struct TableAndFile {
  JpegRows rows;
  std::span<std::uint8_t> file;
};

// Throws bad_data() (65) for a table that does not fit its file.
TableAndFile split_row_table(std::span<std::uint8_t> record);

}  // namespace scalemark::data::packed
