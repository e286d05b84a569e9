#include "core/base/characters.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/error.h"

namespace scalemark {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
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

std::string escaped_byte(char byte) {
  std::array<char, 5> escaped{};
  std::snprintf(escaped.data(), escaped.size(), "\\x%02x", static_cast<unsigned char>(byte));
  return escaped.data();
}

std::string as_utf8(std::string_view text) {
  std::string all;
  all.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length > 0) {
      all += text.substr(0, length);
    } else {
      all += escaped_byte(text[0]);
    }
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return all;
}

std::string encoding_by_mark(std::string_view text) {
  using namespace std::string_view_literals;
  struct Mark {
    std::string_view bytes;
    const char* encoding;
  };
  // UTF-32 comes first, since UTF-16 begins with the same bytes.
  static constexpr Mark kMarks[] = {{"\xff\xfe\0\0"sv, "UTF-32"},
                                    {"\0\0\xfe\xff"sv, "UTF-32"},
                                    {"\xff\xfe"sv, "UTF-16"},
                                    {"\xfe\xff"sv, "UTF-16"}};
  for (const Mark& mark : kMarks) {
    if (text.starts_with(mark.bytes)) return mark.encoding;
  }
  return {};
}

std::string wide_encoding_of(std::string_view text) {
  if (std::string marked = encoding_by_mark(text); !marked.empty()) return marked;
  // NULs stand at two places of four in UTF-32, and at every second one in UTF-16 of Latin letters.
  std::array<std::size_t, 4> nuls{};
  for (std::size_t i = 0; i < text.size(); ++i) nuls[i % 4] += text[i] == '\0' ? 1 : 0;
  const std::size_t quarter = text.size() / 4;
  const auto mostly = [&](std::size_t i) { return quarter > 0 && nuls[i] * 10 >= quarter * 6; };
  const auto hardly = [&](std::size_t i) { return nuls[i] * 10 <= quarter; };
  if (mostly(2) && mostly(3) && hardly(0)) return "UTF-32LE";
  if (mostly(0) && mostly(1) && hardly(3)) return "UTF-32BE";
  if (mostly(1) && mostly(3) && hardly(0) && hardly(2)) return "UTF-16LE";
  if (mostly(0) && mostly(2) && hardly(1) && hardly(3)) return "UTF-16BE";
  return {};
}

std::string utf8_hint(std::string_view encoding) {
  return "iconv -f " + std::string(encoding) + " -t UTF-8 makes it so";
}

void refuse_wide_text(std::string_view text, const std::string& named) {
  const std::string encoding = wide_encoding_of(text);
  if (encoding.empty()) return;
  throw bad_data(named + " is in " + encoding, "UTF-8 is expected", utf8_hint(encoding));
}

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
