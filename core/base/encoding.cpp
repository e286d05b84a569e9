#include "core/base/encoding.h"

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
  static constexpr Mark kMarks[] = {{"\xff\xfe\0\0"sv, "UTF-32"},  // UTF-16 begins like it
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

}  // namespace scalemark
