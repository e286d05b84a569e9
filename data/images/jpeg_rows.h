// JPEG files whose rows of blocks can be decoded one by one: the same coefficients, and where the
// bits of each row begin. Knows nothing of shards or crops.
//
// Restart markers would do this, too, but libjpeg-turbo takes a slower Huffman decoder wherever a
// file has them, which costs what the rows left out save. Instead, a part that begins with row n
// gets an invisible row in front that brings the DC predictions to what they are there, and whose
// bits end where those of row n begin within their byte.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace scalemark::data {

inline constexpr std::size_t kMostJpegComponents = 3;

struct HuffmanCode {
  std::uint16_t bits = 0;
  std::uint16_t length = 0;  // 0: the table lacks the symbol
};

// What the row in front is written with, of one component.
struct JpegComponent {
  std::uint32_t blocks = 0;  // in an MCU
  std::array<HuffmanCode, 12> dc = {};
  HuffmanCode end_of_block;
  HuffmanCode filler;  // an AC coefficient without zeros before it, of an odd number of bits
  std::uint32_t filler_size = 0;  // of which so many follow the code
};

struct JpegRowStart {
  std::uint32_t at = 0;   // the byte of the file that holds the row's first bit
  std::uint16_t bit = 0;  // of that byte, from its highest
  std::array<std::int16_t, kMostJpegComponents> dc = {};
};

struct JpegRowCounts {
  std::uint32_t rows = 0;
  std::uint32_t pixels = 0;     // height of a row: 8 or 16 (the last may be cut)
  std::uint32_t height_at = 0;  // of the two bytes of the header that hold the height
  std::uint32_t data_at = 0;    // of the first byte behind the headers
  std::uint32_t mcus = 0;       // in a row
  std::uint32_t components = 0;
  std::array<JpegComponent, kMostJpegComponents> component = {};
};

struct JpegRows {
  JpegRowCounts counts;
  std::vector<JpegRowStart> starts;  // of each row, and where the data end
};

struct RowJpeg {
  std::vector<std::uint8_t> bytes;
  JpegRows rows;
};

// A sequential JPEG file of the same coefficients without restart markers, and its rows; comments,
// EXIF and profiles, which no loader looks at, are left out. Absent for what is stored better as it
// is: four components (CMYK), interleavings whose scan rows are not rows of blocks, files that
// libjpeg cannot transcode or warns of, and every file whose result, whole or from its middle, does
// not decode to the same pixels, which is tried.
std::optional<RowJpeg> with_rows(std::span<const std::uint8_t> jpeg);

// Rows [first, end) as a JPEG file of their own, `height` pixels high; with `first` > 0 it has a
// row of no meaning in front, which the height does not count.
std::vector<std::uint8_t> cut_rows(std::span<const std::uint8_t> jpeg, const JpegRows& rows,
                                   std::size_t first, std::size_t end, int height);

// Whether cut_rows() can begin with each row: its tables have the codes.
bool can_begin_anywhere(const JpegRows& rows);

}  // namespace scalemark::data
