#include "data/text/utf8.h"

#include <cstring>

namespace scalemark::data {
namespace {

struct Lead {
  int continuations = 0;             // 0: not a lead byte
  unsigned char second_low = 0x80;   // the first continuation's range keeps out overlong forms,
  unsigned char second_high = 0xBF;  // surrogates and what lies above U+10FFFF
};

constexpr Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) return {1};
  if (byte == 0xE0) return {2, 0xA0};
  if (byte == 0xED) return {2, 0x80, 0x9F};
  if (byte >= 0xE1 && byte <= 0xEF) return {2};
  if (byte == 0xF0) return {3, 0x90};
  if (byte >= 0xF1 && byte <= 0xF3) return {3};
  if (byte == 0xF4) return {3, 0x80, 0x8F};
  return {};
}

// Most of a text is ASCII, which is passed over in words.
bool is_plain_ascii(const char* eight) {
  constexpr std::uint64_t kOnes = 0x0101010101010101, kHighest = 0x8080808080808080;
  std::uint64_t word = 0;
  std::memcpy(&word, eight, sizeof word);
  return ((word | (word - kOnes)) & kHighest) == 0;
}

}  // namespace

char32_t next_code_point(std::string_view bytes, std::size_t& at) {
  const auto first = static_cast<unsigned char>(bytes[at++]);
  if (first < 0x80) return first;
  const Lead lead = lead_of(first);
  if (lead.continuations == 0) return kReplacement;
  char32_t code_point = first & (0x3F >> lead.continuations);
  for (int i = 0; i < lead.continuations; ++i) {
    if (at == bytes.size()) return kReplacement;
    const auto byte = static_cast<unsigned char>(bytes[at]);
    const bool fits =
        i == 0 ? byte >= lead.second_low && byte <= lead.second_high : byte >= 0x80 && byte <= 0xBF;
    if (!fits) return kReplacement;
    code_point = (code_point << 6) | (byte & 0x3F);
    ++at;
  }
  return code_point;
}

std::int64_t broken_bytes(std::string_view text) {
  constexpr std::string_view kWrittenOut = "\xEF\xBF\xBD";  // U+FFFD itself is no error
  std::int64_t broken = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text.size() - at >= 8 && is_plain_ascii(text.data() + at)) {
      at += 8;
      continue;
    }
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    const auto sequence = text.substr(start, at - start);
    if (c == 0 || (c == kReplacement && sequence != kWrittenOut)) {
      broken += static_cast<std::int64_t>(sequence.size());
    }
  }
  return broken;
}

void append_utf8(char32_t c, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    tail(0);
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

}  // namespace scalemark::data
