#include "data/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/base/error.h"

namespace scalemark::data {
namespace {

struct Lead {
  int continuations = 0;             // 0: not a lead byte
  unsigned char second_low = 0x80;   // range of the first continuation: without overlong forms,
  unsigned char second_high = 0xBF;  // surrogates and code points above U+10FFFF
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

// Most of a text is ASCII, which is skipped eight bytes at a time.
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
  constexpr std::string_view kWrittenOut = "\xEF\xBF\xBD";  // U+FFFD itself is no error.
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

namespace {

using namespace std::string_view_literals;

// All Unicode white space beyond ASCII.
constexpr std::array kWide{"\u0085"sv, "\u00A0"sv, "\u1680"sv, "\u2000"sv, "\u2001"sv,
                           "\u2002"sv, "\u2003"sv, "\u2004"sv, "\u2005"sv, "\u2006"sv,
                           "\u2007"sv, "\u2008"sv, "\u2009"sv, "\u200A"sv, "\u2028"sv,
                           "\u2029"sv, "\u202F"sv, "\u205F"sv, "\u3000"sv};

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_separator(char c) { return c >= '\x1c' && c <= '\x1f'; }

// Returns the length in bytes of one character of white space at the end of `text`, or 0.
std::size_t last_space(std::string_view text, bool separators) {
  if (text.empty()) return 0;
  const char last = text.back();
  if (is_ascii(last)) return is_space(last) || (separators && is_separator(last)) ? 1 : 0;
  const auto found = std::ranges::find_if(kWide, [&](auto wide) { return text.ends_with(wide); });
  return found == kWide.end() ? 0 : found->size();
}

std::string_view without_end(std::string_view text, bool separators) {
  while (const std::size_t bytes = last_space(text, separators)) text.remove_suffix(bytes);
  return text;
}

}  // namespace

std::size_t first_space(std::string_view text) {
  if (text.empty()) return 0;
  const char first = text.front();
  if (is_ascii(first)) return is_space(first) || is_separator(first) ? 1 : 0;
  const auto found = std::ranges::find_if(kWide, [&](auto wide) { return text.starts_with(wide); });
  return found == kWide.end() ? 0 : found->size();
}

std::string_view stripped(std::string_view text) {
  while (const std::size_t bytes = first_space(text)) text.remove_prefix(bytes);
  return without_end(text, true);
}

std::string_view trimmed_end(std::string_view text) { return without_end(text, false); }

namespace {

// Hugging Face `tokenizers` uses Rust crates of several Unicode versions (marks and punctuation of
// version 8 or so, decompositions of 10, lower case of 17), utf8proc 2.8 version 15. The tables
// below are the differences, found by comparing both for every code point
// (tests/data/text/wordpiece_oracle.py repeats that in every run). A range may include code points
// that are equal in both.
struct Range {
  char32_t first, last;
};

constexpr Range kNotMarks[] = {
    {0x07FD, 0x07FD},   {0x0898, 0x08E1},   {0x09FE, 0x09FE},   {0x0AFA, 0x0AFF},
    {0x0B55, 0x0B55},   {0x0C04, 0x0C3C},   {0x0D00, 0x0D00},   {0x0D3B, 0x0D3C},
    {0x0D81, 0x0D81},   {0x0EBA, 0x0EBA},   {0x0ECE, 0x0ECE},   {0x180F, 0x1886},
    {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFB},   {0xA82C, 0xA82C},   {0xA8C5, 0xA8C5},
    {0xA8FF, 0xA8FF},   {0xA9BD, 0xA9BD},   {0x10D24, 0x10F85}, {0x11070, 0x11074},
    {0x110C2, 0x110C2}, {0x111C9, 0x111C9}, {0x111CF, 0x111CF}, {0x1123E, 0x11241},
    {0x1133B, 0x1133B}, {0x11438, 0x1145E}, {0x1182F, 0x13455}, {0x16F4F, 0x16F4F},
    {0x16FE4, 0x16FE4}, {0x1CF00, 0x1CF46}, {0x1E000, 0x1E4EF}, {0x1E944, 0x1E94A}};
constexpr Range kAlsoMarks[] = {{0x1734, 0x1734}};

constexpr Range kNotPunctuation[] = {{0x061D, 0x061D},   {0x09FD, 0x0A76},   {0x0C77, 0x0C84},
                                     {0x1B7D, 0x1B7E},   {0x2E43, 0x2E5D},   {0x10EAD, 0x10F89},
                                     {0x1144B, 0x1145D}, {0x11660, 0x116B9}, {0x1183B, 0x11FFF},
                                     {0x12FF1, 0x12FF2}, {0x16E97, 0x16FE2}, {0x1E95E, 0x1E95F}};
constexpr Range kAlsoPunctuation[] = {{0x166D, 0x166D}, {0x111C9, 0x111C9}};

constexpr Range kStarters[] = {{0x07FD, 0x07FD},   {0x0898, 0x08D3},   {0x09FE, 0x09FE},
                               {0x0C3C, 0x0C3C},   {0x0D3B, 0x0D3C},   {0x0EBA, 0x0EBA},
                               {0x1715, 0x1715},   {0x1ABF, 0x1ACE},   {0x1DF6, 0x1DFA},
                               {0xA82C, 0xA82C},   {0x10D24, 0x10F85}, {0x11070, 0x11070},
                               {0x1133B, 0x1133B}, {0x1145E, 0x1145E}, {0x11839, 0x11A99},
                               {0x11D42, 0x11F42}, {0x16FF0, 0x16FF1}, {0x1E08F, 0x1E4EF}};

constexpr Range kNotRemoved[] = {
    {0x0890, 0x0891}, {0x08E2, 0x08E2}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}};

constexpr Range kIdeographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                 {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                 {0x2F800, 0x2FA1F}};

// Letters whose lower case was added after Unicode 15.
struct LowerRange {
  char32_t first, last;
  std::int32_t distance;
};
constexpr LowerRange kYoungLetters[] = {{0x1C89, 0x1C89, 1},      {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
                                        {0xA7CC, 0xA7CC, 1},      {0xA7CE, 0xA7CE, 1},
                                        {0xA7D2, 0xA7D2, 1},      {0xA7D4, 0xA7D4, 1},
                                        {0xA7DA, 0xA7DA, 1},      {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
                                        {0x10D50, 0x10D65, 0x20}, {0x16EA0, 0x16EB8, 0x1B}};

constexpr char32_t kDotlessException = 0x130;      // its lower case has two code points
constexpr char32_t kYoungDecomposition = 0x11938;  // decomposes since Unicode 13
constexpr char32_t kCodePoints = 0x110000;
constexpr Range kEmptyPlanes = {0x40000, 0xDFFFF};  // nothing is assigned there, so it has no bits

bool within(std::span<const Range> ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& r) { return r.first <= c && c <= r.last; });
}

bool is_removed(char32_t c, utf8proc_category_t category) {
  if (c == 0 || c == kReplacement) return true;
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const bool other = category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF ||
                     category == UTF8PROC_CATEGORY_CO;
  return other && !within(kNotRemoved, c);
}

// Vertical tab, form feed and U+0085 are white space too, but are removed before this matters.
bool is_space(char32_t c, utf8proc_category_t category) {
  return c == '\t' || c == '\n' || c == '\r' || category == UTF8PROC_CATEGORY_ZS ||
         category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool is_punctuation(char32_t c, utf8proc_category_t category) {
  const bool of_category = category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
  const bool ascii_symbol =
      c < 128 && category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
  return ascii_symbol || (of_category && !within(kNotPunctuation, c)) ||
         within(kAlsoPunctuation, c);
}

bool is_mark(char32_t c, utf8proc_category_t category) {
  return (category == UTF8PROC_CATEGORY_MN && !within(kNotMarks, c)) || within(kAlsoMarks, c);
}

std::uint8_t bits_of(char32_t c) {
  using U = UnicodeTraits;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  const auto changes = [c](const Decomposition& d) { return d.size != 1 || d.code_points[0] != c; };
  int bits = 0;
  if (is_removed(c, category)) bits |= U::kRemoved;
  if (is_space(c, category)) bits |= U::kSpace;
  if (is_punctuation(c, category)) bits |= U::kPunctuation;
  if (within(kIdeographs, c)) bits |= U::kIdeograph;
  if (is_mark(c, category)) bits |= U::kMark;
  if (combining_class(c) > 0) bits |= U::kNonStarter;
  if (changes(decompose(c))) bits |= U::kDecomposes;
  if (changes(to_lower(c))) bits |= U::kHasLower;
  return static_cast<std::uint8_t>(bits);
}

}  // namespace

int combining_class(char32_t c) {
  if (within(kStarters, c)) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

Decomposition decompose(char32_t c) {
  if (c == kYoungDecomposition) return {{c}, 1};
  utf8proc_int32_t parts[4];
  int boundary_class = 0;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts, 4,
                                            UTF8PROC_DECOMPOSE, &boundary_class);
  if (size < 1 || size > 4) throw bug("a canonical decomposition has more than 4 code points");
  Decomposition result{{}, static_cast<int>(size)};
  std::copy_n(parts, size, result.code_points);
  return result;
}

Decomposition to_lower(char32_t c) {
  if (c == kDotlessException) return {{'i', 0x307}, 2};
  for (const LowerRange& r : kYoungLetters) {
    if (r.first <= c && c <= r.last)
      return {{static_cast<char32_t>(static_cast<std::int32_t>(c) + r.distance)}, 1};
  }
  return {{static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)))}, 1};
}

UnicodeTraits::UnicodeTraits() : bits_(kCodePoints) {
  for (char32_t c = 0; c < kEmptyPlanes.first; ++c) bits_[c] = bits_of(c);
  for (char32_t c = kEmptyPlanes.last + 1; c < kCodePoints; ++c) bits_[c] = bits_of(c);
}

const UnicodeTraits& UnicodeTraits::get() {
  static const UnicodeTraits traits;
  return traits;
}

}  // namespace scalemark::data
