// Huffman codes of a JPEG scan as tables that answer a look at the next bits with a coefficient, or
// with how far several go (ITU T.81, annexes C and F). Pure; knows nothing of libjpeg.
#pragma once

#include <array>
#include <cstdint>

namespace scalemark::data::jpeg {

// As a file defines it.
struct HuffmanCodes {
  std::array<std::uint8_t, 17> counts = {};  // of the codes of each length; [0] is not used
  std::array<std::uint8_t, 256> symbols = {};

  bool operator==(const HuffmanCodes&) const = default;
};

// So many bits are looked at at once: most codes together with their value have no more, and the
// tables of a scan stay in a core's first cache.
inline constexpr unsigned kLookBits = 11;
inline constexpr unsigned kLooks = 1U << kLookBits;

// Marks in how far the k of block[k] moves on. Both are above what any block holds, so that one
// comparison with 63 finds them as well as a block's end.
inline constexpr unsigned kEndOfBlock = 0x80;  // alone, or added to the advance before it
inline constexpr unsigned kNotInTable = 0xc0;  // a code or a value longer than the look

// One coefficient: bits of code and value together, advance, value. With kNotInTable: bits of the
// code and its symbol, or no bits where the code is longer, too.
struct Look {
  std::uint32_t bits;
  unsigned length() const { return bits & 63; }
  unsigned advance() const { return bits >> 8 & 0xff; }
  int value() const { return static_cast<std::int32_t>(bits) >> 16; }
};

// As many coefficients as the look holds whole, for blocks whose values nobody needs.
struct LongLook {
  std::uint16_t bits;
  unsigned length() const { return bits & 63; }
  unsigned advance() const { return bits >> 8; }
};

enum class Coefficients { kDc, kAc };

struct HuffmanTable {
  std::array<Look, kLooks> one;
  std::array<LongLook, kLooks> many;  // of kAc only

  // For codes longer than a look: of each length the highest code, left-aligned in 16 bits, plus
  // one (0: there is none), and where its symbol stands less the code.
  std::array<std::uint32_t, 17> end_of_length;
  std::array<std::int32_t, 17> symbol_offset;
  std::array<std::uint8_t, 256> symbols;

  // `codes` must be canonical codes that fit their lengths, as libjpeg has checked.
  void build(const HuffmanCodes& codes, Coefficients kind);
};

// The value that `size` bits stand for: negative where the first of them is 0.
constexpr int extended(unsigned bits, unsigned size) {
  if (size == 0) return 0;
  const int value = static_cast<int>(bits);
  return bits >> (size - 1) != 0 ? value : value - (1 << size) + 1;
}

}  // namespace scalemark::data::jpeg
