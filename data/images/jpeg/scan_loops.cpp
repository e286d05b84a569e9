#include "data/images/jpeg/scan_loops.h"

namespace scalemark::data::jpeg {
namespace {

// Maps zigzag to natural order. As in libjpeg, a run past the block's end, which only a damaged
// file has, ends at the last coefficient.
constexpr std::uint8_t kNatural[80] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33,
    40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36,
    29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

constexpr unsigned kLast = 63;
// After so many look-ups of the largest length, the bits of a longest code and value (31) are still
// available.
constexpr int kLookupsPerRefill = 3;
static_assert((kLookupsPerRefill - 1) * kLookupBits + 31 <= 56);

constexpr LookupEntry kNoCode{kNotInTable << 8};

struct Symbol {
  unsigned length;  // length of its code in bits; above 16: no code
  unsigned symbol;
};

// Finds codes that are longer than kLookupBits.
Symbol find_long(std::uint64_t bits, const HuffmanTable& table) {
  const auto next16 = static_cast<std::uint32_t>(bits >> 48);
  unsigned length = kLookupBits + 1;
  while (length <= 16 && next16 >= table.end_of_length[length]) ++length;
  if (length > 16) return {length, 0};
  const int place = static_cast<int>(next16 >> (16 - length)) + table.symbol_offset[length];
  return {length, table.symbols[static_cast<unsigned>(place) & 255]};
}

// Finds the coefficient, of at most 31 bits, that is not in the table; returns kNotInTable again
// for bits that are no code.
[[gnu::noinline]] LookupEntry beyond_table(std::uint64_t bits, LookupEntry entry,
                                           const HuffmanTable& table, Coefficients kind) {
  Symbol found{entry.length(), static_cast<unsigned>(entry.value())};
  if (found.length == 0) found = find_long(bits, table);
  const auto [length, symbol] = found;
  if (length > 16) return kNoCode;
  const unsigned size = symbol & 15;
  const unsigned run = symbol >> 4;
  if (size == 0) {
    const bool end = kind == Coefficients::kAc && run < 15;
    return {length | (end ? kEndOfBlock : run + 1) << 8};
  }
  const auto value = static_cast<unsigned>(bits << length >> (64 - size));
  return {(length + size) | (run + 1) << 8 |
          static_cast<std::uint32_t>(extended(value, size)) << 16};
}

// Reads coefficients from k + 1 on, one for each look-up.
template <bool kStore>
[[gnu::always_inline]] inline bool read_singly(BitReader& reader, const HuffmanTable& ac,
                                               unsigned k, std::int16_t* block) {
  for (;;) {
    reader.refill();
    for (int i = 0; i < kLookupsPerRefill; ++i) {
      LookupEntry entry = ac.one[reader.peek(kLookupBits)];
      k += entry.advance();
      if (k < kLast) {
        reader.skip(entry.length());
        if (kStore) block[kNatural[k]] = static_cast<std::int16_t>(entry.value());
        continue;
      }
      const bool in_table = entry.advance() != kNotInTable;
      if (!in_table) {
        entry = beyond_table(reader.bits, entry, ac, Coefficients::kAc);
        if (entry.advance() == kNotInTable) return false;
        k += entry.advance() - kNotInTable;
      }
      reader.skip(entry.length());
      if (entry.advance() == kEndOfBlock) return true;
      if (kStore && entry.value() != 0) {
        block[kNatural[k]] = static_cast<std::int16_t>(entry.value());
      }
      if (k >= kLast) return true;
      break;
    }
  }
}

// Skips a block's coefficients without their values, several for each look-up.
[[gnu::always_inline]] inline bool read_over_block(BitReader& reader, const HuffmanTable& ac) {
  unsigned k = 0;
  for (;;) {
    reader.refill();
    for (int i = 0; i < kLookupsPerRefill; ++i) {
      const LongLookupEntry entry = ac.many[reader.peek(kLookupBits)];
      const unsigned before = k;
      k += entry.advance();
      if (k < kLast) {
        reader.skip(entry.length());
        continue;
      }
      if (entry.advance() == kNotInTable) {
        const LookupEntry found =
            beyond_table(reader.bits, ac.one[reader.peek(kLookupBits)], ac, Coefficients::kAc);
        if (found.advance() == kNotInTable) return false;
        reader.skip(found.length());
        k = before + found.advance();
        if (k >= kLast) return true;
        break;
      }
      const bool ends = entry.advance() >= kEndOfBlock;
      const unsigned reached = before + (entry.advance() & ~kEndOfBlock);
      // Otherwise the block ends within the entry, and the rest belongs to the next block.
      if (ends ? reached < kLast : reached == kLast) {
        reader.skip(entry.length());
        return true;
      }
      return read_singly<false>(reader, ac, before, nullptr);
    }
  }
}

[[gnu::always_inline]] inline bool read_dc(BitReader& reader, const HuffmanTable& dc,
                                           int& prediction) {
  reader.refill();
  LookupEntry entry = dc.one[reader.peek(kLookupBits)];
  if (entry.advance() == kNotInTable) {
    entry = beyond_table(reader.bits, entry, dc, Coefficients::kDc);
    if (entry.advance() == kNotInTable) return false;
  }
  reader.skip(entry.length());
  // A damaged file may add up to more than an int holds.
  prediction =
      static_cast<int>(static_cast<unsigned>(prediction) + static_cast<unsigned>(entry.value()));
  return true;
}

template <bool kStore>
[[gnu::always_inline]] inline ScanFault read_mcus(const ScanLayout& layout, const Segment& segment,
                                                  ScanPlace& place, std::uint32_t mcus,
                                                  Block* const* blocks) {
  BitReader reader = place.reader;
  for (std::uint32_t mcu = 0; mcu < mcus; ++mcu) {
    for (unsigned b = 0; b < layout.blocks; ++b) {
      const BlockPlan& plan = layout.block[b];
      int& prediction = place.dc[plan.component];
      if (!read_dc(reader, *plan.dc, prediction)) return ScanFault::kBadCode;
      bool good = false;
      if constexpr (kStore) {
        std::int16_t* const block = *blocks[b];
        block[0] = static_cast<std::int16_t>(prediction);
        good = read_singly<true>(reader, *plan.ac, 0, block);
      } else {
        good = read_over_block(reader, *plan.ac);
      }
      if (reader.read_since(segment.bytes.data()) > segment.bits) return ScanFault::kCutShort;
      if (!good) return ScanFault::kBadCode;
    }
  }
  place.reader = reader;
  return ScanFault::kNone;
}

ScanFault decode_portable(const ScanLayout& layout, const Segment& segment, ScanPlace& place,
                          Block* const* blocks) {
  return read_mcus<true>(layout, segment, place, 1, blocks);
}

ScanFault read_over_portable(const ScanLayout& layout, const Segment& segment, ScanPlace& place,
                             std::uint32_t mcus) {
  return read_mcus<false>(layout, segment, place, mcus, nullptr);
}

constexpr ScanLoops kPortable{decode_portable, read_over_portable};

#if defined(__x86_64__)
[[gnu::target("bmi,bmi2")]] ScanFault decode_bmi2(const ScanLayout& layout, const Segment& segment,
                                                  ScanPlace& place, Block* const* blocks) {
  return read_mcus<true>(layout, segment, place, 1, blocks);
}

[[gnu::target("bmi,bmi2")]] ScanFault read_over_bmi2(const ScanLayout& layout,
                                                     const Segment& segment, ScanPlace& place,
                                                     std::uint32_t mcus) {
  return read_mcus<false>(layout, segment, place, mcus, nullptr);
}

constexpr ScanLoops kBmi2{decode_bmi2, read_over_bmi2};
#endif

}  // namespace

const ScanLoops& portable_scan_loops() { return kPortable; }

const ScanLoops& scan_loops() {
#if defined(__x86_64__)
  static const bool bmi2 = __builtin_cpu_supports("bmi2") != 0;
  if (bmi2) return kBmi2;
#endif
  return kPortable;
}

}  // namespace scalemark::data::jpeg
