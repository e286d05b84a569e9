// What a record of encoding kRows holds before its JPEG file: where the rows of blocks lie. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/images/jpeg_rows.h"

namespace scalemark::data::packed {

// JpegRowCounts, then rows + 1 JpegRowStart, then the JPEG file.
std::vector<std::uint8_t> with_row_table(const RowJpeg& jpeg);

struct TableAndFile {
  JpegRows rows;
  std::span<const std::uint8_t> file;
};

// Throws bad_data() (65) for a table that does not fit its file.
TableAndFile split_row_table(std::span<const std::uint8_t> record);

}  // namespace scalemark::data::packed
