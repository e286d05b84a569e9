// What a record of encoding kIndexed holds before its JPEG file: places at which the file's
// decoding can begin. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/images/jpeg/indexed_jpeg.h"

namespace scalemark::data::packed {

// The number of points and their spacing, the points, then the JPEG file.
std::vector<std::uint8_t> with_access_table(const IndexedJpeg& jpeg);

struct TableAndFile {
  jpeg::AccessPoints points;
  std::span<const std::uint8_t> file;
};

// Throws bad_data() (65) for a table that is not whole. Whether it fits its file is seen when that
// is decoded.
TableAndFile split_access_table(std::span<const std::uint8_t> record);

}  // namespace scalemark::data::packed
