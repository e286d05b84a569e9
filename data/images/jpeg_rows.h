// JPEG files whose rows of blocks can be decoded one by one: the same coefficients, written with a
// restart marker after each row, and the places of these rows. Knows nothing of shards or crops.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::data {

// Where the rows of blocks of one JPEG file lie. Row i is bytes [begin[i], begin[i + 1] - 2): the
// two bytes behind it are its restart marker, of the last row the end marker.
struct JpegRows {
  std::uint32_t pixels = 0;     // height of a row: 8 or 16 (the last may be cut)
  std::uint32_t height_at = 0;  // of the two bytes of the header that hold the height
  std::vector<std::uint32_t> begin;

  std::size_t count() const { return begin.size() - 1; }
};

struct RowJpeg {
  std::vector<std::uint8_t> bytes;
  JpegRows rows;
};

// A sequential JPEG of the same coefficients with a restart marker per row and Huffman tables of
// its own; comments, EXIF and profiles, which no loader looks at, are left out. Absent for what is
// stored better as it is: four components (CMYK), interleavings whose scan rows are not rows of
// blocks, files that libjpeg cannot transcode or warns of, and every file whose result does not
// decode to the same pixels, which is tried.
std::optional<RowJpeg> with_row_markers(std::span<const std::uint8_t> jpeg);

// The rows of a file that with_row_markers() wrote; absent for any other.
std::optional<JpegRows> find_rows(std::span<const std::uint8_t> jpeg);

// Makes rows [first, end) of `jpeg` a JPEG of their own, in place: the header is moved in front of
// them, its height becomes `height`, markers are numbered anew, and the end marker follows them.
// What lies outside the result is no longer of use.
std::span<const std::uint8_t> cut_rows(std::span<std::uint8_t> jpeg, const JpegRows& rows,
                                       std::size_t first, std::size_t end, int height);

}  // namespace scalemark::data
