#include "data/images/jpeg_row_bits.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace scalemark::data {
namespace {

constexpr std::uint8_t kMarker = 0xff, kEnd = 0xd9, kFrame = 0xc0, kFrame1 = 0xc1, kScan = 0xda;
constexpr std::size_t kMarkerBytes = 2;

// Zigzag order, by which AC coefficients are coded.
constexpr int kZigzag[DCTSIZE2] = {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                   12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                   35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                   58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

unsigned category_of(int value) {
  return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value))));
}

using CodeTable = std::array<HuffmanCode, 256>;

// Canonical codes: ITU T.81, annex C.
CodeTable codes_of(const JHUFF_TBL& table) {
  CodeTable codes{};
  unsigned code = 0;
  std::size_t k = 0;
  for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
    for (int i = 0; i < table.bits[length]; ++i) {
      codes[table.huffval[k++]] = {.bits = static_cast<std::uint16_t>(code++),
                                   .length = static_cast<std::uint16_t>(length)};
    }
  }
  return codes;
}

// An AC coefficient by itself whose code and value have an odd number of bits.
void choose_filler(const CodeTable& ac, JpegComponent& component) {
  for (std::uint32_t size = 1; size <= 10; ++size) {
    if (ac[size].length == 0 || (ac[size].length + size) % 2 == 0) continue;
    component.filler = ac[size];
    component.filler_size = size;
    return;
  }
}

// One component of a scan and its two tables.
struct Coded {
  CodeTable dc, ac;
  int prediction = 0;

  std::uint64_t bits_of(const JCOEF* block) {
    const unsigned category = category_of(block[0] - prediction);
    prediction = block[0];
    std::uint64_t bits = dc[category].length + category;
    unsigned zeros = 0;
    for (int k = 1; k < DCTSIZE2; ++k) {
      const int value = block[kZigzag[k]];
      if (value == 0) {
        ++zeros;
        continue;
      }
      bits += (zeros / 16) * ac[0xf0].length;
      const unsigned size = category_of(value);
      bits += ac[(zeros % 16) << 4 | size].length + size;
      zeros = 0;
    }
    return bits + (zeros > 0 ? ac[0].length : 0);
  }
  // Beyond the image's edge: the block before again, of which only the DC coefficient remains.
  std::uint64_t bits_of_padding() const { return dc[0].length + ac[0].length; }
};

JpegComponent component_of(const Coded& coded, std::uint32_t blocks) {
  JpegComponent component{.blocks = blocks, .end_of_block = coded.ac[0]};
  std::copy_n(coded.dc.begin(), component.dc.size(), component.dc.begin());
  choose_filler(coded.ac, component);
  return component;
}

// Counts the bits of one row of MCUs of all components.
class RowCounter {
 public:
  RowCounter(jpeg_decompress_struct& in, jvirt_barray_ptr* coefficients, std::vector<Coded>& coded)
      : in_(in), coefficients_(coefficients), coded_(coded) {}

  std::uint64_t count(JDIMENSION row, JDIMENSION mcus) {
    JBLOCKARRAY rows[kMostJpegComponents] = {};
    for (int c = 0; c < in_.num_components; ++c) {
      const auto high = static_cast<JDIMENSION>(in_.comp_info[c].v_samp_factor);
      rows[c] = in_.mem->access_virt_barray(reinterpret_cast<j_common_ptr>(&in_), coefficients_[c],
                                            row * high, high, FALSE);
    }
    std::uint64_t bits = 0;
    for (JDIMENSION mcu = 0; mcu < mcus; ++mcu) {
      for (int c = 0; c < in_.num_components; ++c) bits += count_blocks(c, rows[c], row, mcu);
    }
    return bits;
  }

 private:
  std::uint64_t count_blocks(int c, JBLOCKARRAY rows, JDIMENSION row, JDIMENSION mcu) {
    const jpeg_component_info& info = in_.comp_info[c];
    Coded& coded = coded_[static_cast<std::size_t>(c)];
    const auto high = static_cast<JDIMENSION>(info.v_samp_factor);
    const auto wide = in_.num_components == 1 ? 1 : static_cast<JDIMENSION>(info.h_samp_factor);
    std::uint64_t bits = 0;
    for (JDIMENSION y = 0; y < high; ++y) {
      for (JDIMENSION x = mcu * wide; x < (mcu + 1) * wide; ++x) {
        const bool inside = row * high + y < info.height_in_blocks && x < info.width_in_blocks;
        bits += inside ? coded.bits_of(rows[y][x]) : coded.bits_of_padding();
      }
    }
    return bits;
  }

  jpeg_decompress_struct& in_;
  jvirt_barray_ptr* coefficients_;
  std::vector<Coded>& coded_;
};

unsigned two_bytes(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<unsigned>(bytes[at] << 8 | bytes[at + 1]);
}

// Places of the frame's height and of the data behind the first scan's header.
bool read_header(std::span<const std::uint8_t> jpeg, JpegRowCounts& counts) {
  for (std::size_t at = kMarkerBytes; at + 7 <= jpeg.size();) {
    const std::uint8_t marker = jpeg[at + 1];
    const std::size_t next = at + kMarkerBytes + two_bytes(jpeg, at + 2);
    if (jpeg[at] != kMarker || next > jpeg.size()) return false;
    if (marker == kFrame || marker == kFrame1) {
      counts.height_at = static_cast<std::uint32_t>(at + 5);
    }
    if (marker == kScan) {
      counts.data_at = static_cast<std::uint32_t>(next);
      return counts.height_at > 0;
    }
    at = next;
  }
  return false;
}

}  // namespace

void count_row_bits(jpeg_decompress_struct& in, jvirt_barray_ptr* coefficients,
                    const jpeg_compress_struct& out, RowBits& bits) {
  std::vector<Coded> coded;
  const bool grey = in.num_components == 1;
  for (int c = 0; c < in.num_components; ++c) {
    const jpeg_component_info& written = out.comp_info[c];
    coded.push_back({.dc = codes_of(*out.dc_huff_tbl_ptrs[written.dc_tbl_no]),
                     .ac = codes_of(*out.ac_huff_tbl_ptrs[written.ac_tbl_no])});
    const int blocks = grey ? 1 : written.h_samp_factor * written.v_samp_factor;
    bits.counts.component[static_cast<std::size_t>(c)] =
        component_of(coded.back(), static_cast<std::uint32_t>(blocks));
  }
  const int width = DCTSIZE * (grey ? 1 : in.max_h_samp_factor);
  const int height = DCTSIZE * (grey ? 1 : in.max_v_samp_factor);
  const auto parts = [](JDIMENSION all, int each) {
    return (all + static_cast<JDIMENSION>(each) - 1) / static_cast<JDIMENSION>(each);
  };
  bits.counts.rows = parts(in.image_height, height);
  bits.counts.pixels = static_cast<std::uint32_t>(height);
  bits.counts.mcus = parts(in.image_width, width);
  bits.counts.components = static_cast<std::uint32_t>(in.num_components);
  RowCounter counter(in, coefficients, coded);
  bits.begin.assign(1, 0);
  for (JDIMENSION row = 0; row < bits.counts.rows; ++row) {
    JpegRowStart& start = bits.dc.emplace_back();
    for (std::size_t c = 0; c < coded.size(); ++c) {
      start.dc[c] = static_cast<std::int16_t>(coded[c].prediction);
    }
    bits.begin.push_back(bits.begin.back() + counter.count(row, bits.counts.mcus));
  }
  bits.dc.emplace_back();  // of the end
}

std::optional<JpegRows> find_rows(std::span<const std::uint8_t> jpeg, const RowBits& bits) {
  JpegRows rows{.counts = bits.counts, .starts = bits.dc};
  if (!read_header(jpeg, rows.counts)) return std::nullopt;
  std::size_t at = rows.counts.data_at;
  std::uint64_t byte = 0;  // of the data without the zeros behind 0xff
  for (std::size_t row = 0; row < rows.starts.size(); ++row) {
    for (; byte < bits.begin[row] / 8 && at + 1 < jpeg.size(); ++byte) {
      at += jpeg[at] == kMarker ? 2 : 1;
    }
    rows.starts[row].at = static_cast<std::uint32_t>(at);
    rows.starts[row].bit = static_cast<std::uint16_t>(bits.begin[row] % 8);
  }
  if (rows.starts.back().bit > 0) at += jpeg[at] == kMarker ? 2 : 1;
  const bool at_end = at + 2 == jpeg.size() && jpeg[at] == kMarker && jpeg[at + 1] == kEnd;
  if (!at_end) return std::nullopt;
  return rows;
}

}  // namespace scalemark::data
