#include "data/images/jpeg/scan_memory.h"

#include <algorithm>

namespace scalemark::data::jpeg {

// ITU T.81, B.1.1.2 and B.1.1.5: 0xff 0x00 stands for 0xff; before a marker there may be further
// 0xff.
void Segment::read(std::span<const std::uint8_t> data) {
  if (bytes.size() < data.size() + kBlockMargin) bytes.resize(data.size() + kBlockMargin);
  std::uint8_t* to = bytes.data();
  const std::uint8_t* from = data.data();
  const std::uint8_t* const end = from + data.size();
  marker = end;
  while (from < end) {
    const auto left = static_cast<std::size_t>(end - from);
    const auto* const found = static_cast<const std::uint8_t*>(std::memchr(from, 0xff, left));
    const std::size_t plain = found == nullptr ? left : static_cast<std::size_t>(found - from);
    std::memcpy(to, from, plain);
    to += plain;
    from += plain;
    if (found == nullptr) break;
    while (from + 1 < end && from[1] == 0xff) ++from;
    if (from + 1 >= end || from[1] != 0) {
      marker = from;
      break;
    }
    *to++ = 0xff;
    from += 2;
  }
  bits = static_cast<std::uint64_t>(to - bytes.data()) * 8;
  std::memset(to, 0, kBlockMargin);
}

namespace {

constexpr LookupEntry lookup_entry(unsigned length, unsigned advance, int value) {
  return {length | advance << 8 | static_cast<std::uint32_t>(value) << 16};
}

constexpr LongLookupEntry long_entry(unsigned length, unsigned advance) {
  return {static_cast<std::uint16_t>(length | advance << 8)};
}

// Fills all entries that begin with a code; `first` is the code followed by zeros.
void fill(std::array<LookupEntry, kLookupEntries>& one, unsigned first, unsigned length,
          unsigned symbol, Coefficients kind) {
  const unsigned size = symbol & 15;
  const unsigned run = symbol >> 4;
  const unsigned left = kLookupBits - length;
  LookupEntry* const entries = &one[first];
  if (kind == Coefficients::kAc && size == 0 && run < 15) {
    std::fill_n(entries, 1U << left, lookup_entry(length, kEndOfBlock, 0));
    return;
  }
  if (size > left) {
    std::fill_n(entries, 1U << left, lookup_entry(length, kNotInTable, static_cast<int>(symbol)));
    return;
  }
  const unsigned each = 1U << (left - size);
  for (unsigned bits = 0; bits < 1U << size; ++bits) {
    std::fill_n(entries + bits * each, each,
                lookup_entry(length + size, run + 1, extended(bits, size)));
  }
}

// Finds all coefficients within `bits`. A look-up with some bits used up, and zeros in their place
// at the end, is right if its result is no longer than the bits left.
LongLookupEntry all_in(const std::array<LookupEntry, kLookupEntries>& one, unsigned bits) {
  constexpr unsigned kMostAdvance = 63;
  LookupEntry next = one[bits];
  if (next.advance() == kNotInTable) return long_entry(0, kNotInTable);
  unsigned length = 0;
  unsigned advance = 0;
  while (next.advance() != kNotInTable && length + next.length() <= kLookupBits) {
    if (next.advance() == kEndOfBlock) {
      return long_entry(length + next.length(), advance | kEndOfBlock);
    }
    if (advance + next.advance() > kMostAdvance) break;
    length += next.length();
    advance += next.advance();
    next = one[bits << length & (kLookupEntries - 1)];
  }
  return long_entry(length, advance);
}

}  // namespace

void HuffmanTable::build(const HuffmanCodes& codes, Coefficients kind) {
  one.fill(lookup_entry(0, kNotInTable, 0));
  symbols = codes.symbols;
  unsigned code = 0;
  unsigned place = 0;
  for (unsigned length = 1; length <= 16; ++length, code <<= 1) {
    const unsigned count = codes.counts[length];
    symbol_offset[length] = static_cast<std::int32_t>(place) - static_cast<std::int32_t>(code);
    end_of_length[length] = count == 0 ? 0 : (code + count) << (16 - length);
    for (unsigned i = 0; i < count; ++i, ++code, ++place) {
      if (length > kLookupBits || place >= symbols.size()) continue;
      const unsigned first = code << (kLookupBits - length);
      if (first < kLookupEntries) fill(one, first, length, symbols[place], kind);
    }
  }
  if (kind != Coefficients::kAc) return;
  for (unsigned bits = 0; bits < kLookupEntries; ++bits) many[bits] = all_in(one, bits);
}

}  // namespace scalemark::data::jpeg
