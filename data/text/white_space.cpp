#include "data/text/white_space.h"

#include <algorithm>
#include <array>

namespace scalemark::data {
namespace {

using namespace std::string_view_literals;

// All white space of Unicode beyond ASCII.
constexpr std::array kWide{"\u0085"sv, "\u00A0"sv, "\u1680"sv, "\u2000"sv, "\u2001"sv,
                           "\u2002"sv, "\u2003"sv, "\u2004"sv, "\u2005"sv, "\u2006"sv,
                           "\u2007"sv, "\u2008"sv, "\u2009"sv, "\u200A"sv, "\u2028"sv,
                           "\u2029"sv, "\u202F"sv, "\u205F"sv, "\u3000"sv};

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_separator(char c) { return c >= '\x1c' && c <= '\x1f'; }

// How many bytes of white space `text` ends with: one character, or none.
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

}  // namespace scalemark::data
