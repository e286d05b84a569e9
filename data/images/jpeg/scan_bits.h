// The bits of a JPEG scan: its bytes without the zeros that stand behind each 0xff, and a reader of
// them. Private to the scan decoder.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace scalemark::data::jpeg {

// Zeros behind the bits, so that a block that runs past the end reads no other memory: 64 codes and
// values of at most 31 bits each, and a load.
inline constexpr std::size_t kBlockMargin = 64 * 4 + 8;

// Bytes up to a marker, which may be a restart marker.
struct Segment {
  std::vector<std::uint8_t> bytes;  // kept from segment to segment; kBlockMargin zeros at the end
  std::uint64_t bits = 0;           // without these
  const std::uint8_t* marker = nullptr;  // its 0xff, or the end of the data

  void read(std::span<const std::uint8_t> data);
};

// At least 56 bits are there after refill().
struct BitReader {
  const std::uint8_t* next = nullptr;
  std::uint64_t bits = 0;  // from the highest
  unsigned count = 0;

  // From `bit`, 0 to 7, of the first byte.
  void begin(const std::uint8_t* first, unsigned bit) {
    next = first;
    bits = 0;
    count = 0;
    refill();
    skip(bit);
  }

  void refill() {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    bits |= word >> count;
    next += (63 - count) >> 3;
    count |= 56;
  }

  unsigned peek(unsigned length) const { return static_cast<unsigned>(bits >> (64 - length)); }

  void skip(unsigned length) {
    bits <<= length & 63;
    count -= length;
  }

  std::uint64_t read_since(const std::uint8_t* first) const {
    return static_cast<std::uint64_t>(next - first) * 8 - count;
  }
};

}  // namespace scalemark::data::jpeg
