#include "core/base/shown_text.h"

#include <algorithm>
#include <array>

#include "core/base/encoding.h"

namespace scalemark {
namespace {

constexpr std::string_view kOurInks[] = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m"};

char32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  char32_t code = byte(0) & (0xFFu >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3F);
  return code;
}

// Unicode's "Bidi_Control" and its line and paragraph separators, beside the control characters.
bool acts(char32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;
  return code == 0x061C || code == 0x200E || code == 0x200F || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::size_t acting_length(std::string_view text) {
  if (text.empty()) return 0;
  const std::size_t length = utf8_length(text);
  return length > 0 && acts(code_point(text.substr(0, length))) ? length : 0;
}

std::string with_blanks(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t acting = acting_length(text);
    result += acting > 0 ? ' ' : text.front();
    text.remove_prefix(std::max<std::size_t>(acting, 1));
  }
  return result;
}

std::string shown_text(std::string_view given) {
  const std::string whole = as_utf8(given);
  std::string result;
  result.reserve(whole.size());
  for (std::string_view text = whole; !text.empty();) {
    const auto* ink =
        std::ranges::find_if(kOurInks, [&](std::string_view one) { return text.starts_with(one); });
    if (ink != std::end(kOurInks)) {
      result += *ink;
      text.remove_prefix(ink->size());
      continue;
    }
    const std::size_t acting = acting_length(text);
    const bool kept = acting == 0 || text.front() == '\n' || text.front() == '\t';
    result += kept ? text.front() : ' ';
    text.remove_prefix(kept ? 1 : acting);
  }
  return result;
}

}  // namespace scalemark
