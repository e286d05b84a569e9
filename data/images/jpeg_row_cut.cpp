// Parts of a JPEG file as files of their own.
#include <algorithm>
#include <bit>
#include <cstdlib>

#include "data/images/jpeg_rows.h"

namespace scalemark::data {
namespace {

constexpr std::uint8_t kMarker = 0xff, kEnd = 0xd9;

// Bits into bytes, a zero behind each byte that would look like a marker.
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void put(std::uint32_t bits, unsigned count) {
    for (unsigned i = count; i-- > 0;) {
      byte_ = byte_ << 1 | (bits >> i & 1);
      if (++filled_ == 8) flush();
    }
  }
  void put(HuffmanCode code) { put(code.bits, code.length); }

 private:
  void flush() {
    bytes_.push_back(static_cast<std::uint8_t>(byte_));
    if (bytes_.back() == kMarker) bytes_.push_back(0);
    byte_ = filled_ = 0;
  }

  std::vector<std::uint8_t>& bytes_;
  unsigned byte_ = 0;
  unsigned filled_ = 0;
};

unsigned category_of(int value) {
  return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(std::abs(value))));
}

// A DC difference: its category's code, then its value (negative ones less by one).
void put_difference(BitWriter& out, const JpegComponent& component, int value) {
  const unsigned category = category_of(value);
  out.put(component.dc[category]);
  out.put(static_cast<std::uint32_t>(value < 0 ? value - 1 : value) & ((1u << category) - 1),
          category);
}

// Bits of the row in front without fillers.
unsigned plain_bits(const JpegRowCounts& counts, const JpegRowStart& start) {
  unsigned bits = 0;
  for (std::size_t c = 0; c < counts.components; ++c) {
    const JpegComponent& component = counts.component[c];
    const unsigned zero = component.dc[0].length;
    const unsigned category = category_of(start.dc[c]);
    bits += counts.mcus * component.blocks * (zero + component.end_of_block.length) +
            component.dc[category].length + category - zero;
  }
  return bits;
}

// So many that the row's bits end at the wanted place within a byte; they have an odd number each.
unsigned fillers_for(const JpegRowCounts& counts, const JpegRowStart& start) {
  const unsigned each = counts.component[0].filler.length + counts.component[0].filler_size;
  unsigned fillers = 0;
  while ((plain_bits(counts, start) + fillers * each) % 8 != start.bit) ++fillers;
  return fillers;
}

void put_row_in_front(BitWriter& out, const JpegRowCounts& counts, const JpegRowStart& start) {
  unsigned fillers = fillers_for(counts, start);
  for (std::uint32_t mcu = 0; mcu < counts.mcus; ++mcu) {
    for (std::size_t c = 0; c < counts.components; ++c) {
      const JpegComponent& component = counts.component[c];
      for (std::uint32_t block = 0; block < component.blocks; ++block) {
        put_difference(out, component, mcu + 1 == counts.mcus && block == 0 ? start.dc[c] : 0);
        for (; fillers > 0; --fillers) {  // in the very first block
          out.put(component.filler);
          out.put((1u << component.filler_size) - 1, component.filler_size);
        }
        out.put(component.end_of_block);
      }
    }
  }
}

// Behind the byte that holds the last bit before `start`.
std::size_t end_before(std::span<const std::uint8_t> jpeg, const JpegRowStart& start) {
  if (start.bit == 0) return start.at;
  return start.at + (jpeg[start.at] == kMarker ? 2 : 1);
}

}  // namespace

bool can_begin_anywhere(const JpegRows& rows) {
  const JpegRowCounts& counts = rows.counts;
  for (std::size_t c = 0; c < counts.components; ++c) {
    const JpegComponent& component = counts.component[c];
    if (component.dc[0].length == 0 || component.end_of_block.length == 0) return false;
    for (const JpegRowStart& start : rows.starts) {
      const unsigned category = category_of(start.dc[c]);
      if (category >= component.dc.size() || component.dc[category].length == 0) return false;
    }
  }
  return (counts.component[0].filler.length + counts.component[0].filler_size) % 2 == 1;
}

std::vector<std::uint8_t> cut_rows(std::span<const std::uint8_t> jpeg, const JpegRows& rows,
                                   std::size_t first, std::size_t end, int height) {
  const JpegRowCounts& counts = rows.counts;
  const JpegRowStart& start = rows.starts[first];
  const std::size_t data_end = end_before(jpeg, rows.starts[end]);
  const int shown = height + (first > 0 ? static_cast<int>(counts.pixels) : 0);
  std::vector<std::uint8_t> part;
  part.reserve(counts.data_at + 4096 + data_end - start.at);
  part.insert(part.end(), jpeg.begin(), jpeg.begin() + counts.data_at);
  part[counts.height_at] = static_cast<std::uint8_t>(shown >> 8);
  part[counts.height_at + 1] = static_cast<std::uint8_t>(shown & 0xff);
  std::size_t at = start.at;
  if (first > 0) {
    BitWriter out(part);
    put_row_in_front(out, counts, start);
    if (start.bit > 0) {
      out.put(jpeg[at], 8u - start.bit);
      at += jpeg[at] == kMarker ? 2 : 1;
    }
  }
  if (at < data_end) {
    part.insert(part.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(at),
                jpeg.begin() + static_cast<std::ptrdiff_t>(data_end));
  }
  part.push_back(kMarker);
  part.push_back(kEnd);
  return part;
}

}  // namespace scalemark::data
