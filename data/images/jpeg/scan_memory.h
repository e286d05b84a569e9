// Memory for decoding a JPEG scan, kept from image to image: the scan's bits, and its Huffman codes
// as tables. Knows nothing of libjpeg.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace scalemark::data::jpeg {

// --- The bits of a scan: its bytes without the zero that follows each 0xff, and a reader of them.

// Zeros after the bits, so that a block that runs past the end reads no other memory: 64 codes and
// values of at most 31 bits each, and a load.
inline constexpr std::size_t kBlockMargin = 64 * 4 + 8;

// The bytes up to a marker, which may be a restart marker.
struct Segment {
  // Memory is kept from segment to segment; kBlockMargin zeros at the end.
  std::vector<std::uint8_t> bytes;
  std::uint64_t bits = 0;                // does not count these zeros
  const std::uint8_t* marker = nullptr;  // its 0xff, or the end of the data

  void read(std::span<const std::uint8_t> data);
};

// After refill() there are at least 56 bits.
struct BitReader {
  const std::uint8_t* next = nullptr;
  std::uint64_t bits = 0;  // the next bit is the highest
  unsigned count = 0;

  // Starts at `bit`, 0 to 7, of the first byte.
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

// --- Huffman codes as tables: the next bits are looked up and give one coefficient, or the length
// of several (ITU T.81, annexes C and F).

// The codes as a file defines them.
struct HuffmanCodes {
  std::array<std::uint8_t, 17> counts = {};  // counts[n] codes have n bits; [0] is not used
  std::array<std::uint8_t, 256> symbols = {};

  bool operator==(const HuffmanCodes&) const = default;
};

// The number of bits in a look-up: most codes with their values are no longer, and the tables of a
// scan fit a core's first-level cache.
inline constexpr unsigned kLookupBits = 11;
inline constexpr unsigned kLookupEntries = 1U << kLookupBits;

// Markers within an advance, the step of k in block[k]. Both are above any advance in a block, so
// that one comparison with 63 finds them as well as a block's end.
inline constexpr unsigned kEndOfBlock = 0x80;  // stands alone, or is added to the advance before it
inline constexpr unsigned kNotInTable = 0xc0;  // a code or a value longer than kLookupBits

// One coefficient: bits of code and value together, advance, value. With kNotInTable: the code's
// bits and its symbol, or 0 bits where the code itself is too long.
struct LookupEntry {
  std::uint32_t bits;
  unsigned length() const { return bits & 63; }
  unsigned advance() const { return bits >> 8 & 0xff; }
  int value() const { return static_cast<std::int32_t>(bits) >> 16; }
};

// Skips as many coefficients as fit whole into kLookupBits, for blocks whose values are not needed.
struct LongLookupEntry {
  std::uint16_t bits;
  unsigned length() const { return bits & 63; }
  unsigned advance() const { return bits >> 8; }
};

enum class Coefficients { kDc, kAc };

struct HuffmanTable {
  std::array<LookupEntry, kLookupEntries> one;
  std::array<LongLookupEntry, kLookupEntries> many;  // filled in for kAc only

  // These find codes longer than kLookupBits, by length: one more than the highest code,
  // left-aligned in 16 bits (0: no such code), and the offset from a code to its symbol.
  std::array<std::uint32_t, 17> end_of_length;
  std::array<std::int32_t, 17> symbol_offset;
  std::array<std::uint8_t, 256> symbols;

  // `codes` must be canonical codes that fit their lengths, as libjpeg has verified.
  void build(const HuffmanCodes& codes, Coefficients kind);
};

// Returns the value that `size` bits stand for: negative where the first of them is 0.
constexpr int extended(unsigned bits, unsigned size) {
  if (size == 0) return 0;
  const int value = static_cast<int>(bits);
  return bits >> (size - 1) != 0 ? value : value - (1 << size) + 1;
}

// Most files of a data set have the same tables, so those of the previous image are kept.
class KeptTable {
 public:
  const HuffmanTable& of(const HuffmanCodes& codes, Coefficients kind) {
    if (table_ == nullptr || codes != codes_) {
      if (table_ == nullptr) table_ = std::make_unique_for_overwrite<HuffmanTable>();
      table_->build(codes, kind);
      codes_ = codes;
    }
    return *table_;
  }

 private:
  HuffmanCodes codes_;
  std::unique_ptr<HuffmanTable> table_;
};

// Most tables of each kind in a scan: ITU T.81, B.2.4.2.
inline constexpr std::size_t kMostTables = 4;

// Only one image may use it at a time.
struct ScanMemory {
  Segment segment;
  std::array<KeptTable, kMostTables> dc;
  std::array<KeptTable, kMostTables> ac;
};

}  // namespace scalemark::data::jpeg
