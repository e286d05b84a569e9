#include "core/lint/html_signs.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "core/base/characters.h"
#include "core/lint/text_tables.h"

namespace scalemark::lint {
namespace {

char in_lower_case(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// A code point, as UTF-8. Signs that tables use instead of plain ones become those.
std::string utf8(unsigned long code) {
  if (code == 0xA0 || code == 0x2009 || code == 0x202F) return " ";
  if (code < 0x80) return std::string(1, code < 0x20 ? ' ' : static_cast<char>(code));
  std::string text;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
  } else if (code < 0x110000) {
    text += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
  } else {
    return " ";
  }
  tail(0);
  return text;
}

}  // namespace

std::pair<std::string, std::size_t> entity_at(std::string_view text) {
  static constexpr std::pair<std::string_view, unsigned long> kNames[] = {
      {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},
      {"apos", '\''},    {"nbsp", ' '},     {"times", 0xD7},   {"thinsp", 0x2009},
      {"ndash", 0x2013}, {"mdash", 0x2014}, {"minus", 0x2212}, {"asymp", 0x2248},
      {"plusmn", 0xB1},  {"deg", 0xB0},     {"rarr", 0x2192}};
  const std::size_t end = text.substr(0, 12).find(';');
  if (end == std::string_view::npos || end < 2) return {"&", 1};
  const std::string_view name = text.substr(1, end - 1);
  if (name.front() == '#') {
    const bool hex = name.size() > 2 && in_lower_case(name[1]) == 'x';
    const std::string_view digits = name.substr(hex ? 2 : 1);
    unsigned long code = 0;
    const auto read =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
    const bool all = read.ec == std::errc() && read.ptr == digits.data() + digits.size();
    return all ? std::pair(utf8(code), end + 1) : std::pair(std::string("&"), std::size_t{1});
  }
  const auto found = std::ranges::find(kNames, name, [](const auto& one) { return one.first; });
  return found == std::end(kNames) ? std::pair(std::string("&"), std::size_t{1})
                                   : std::pair(utf8(found->second), end + 1);
}

std::optional<Tag> tag_at(std::string_view text) {
  const std::size_t end = text.find_first_of("<>", 1);
  if (end == std::string_view::npos || text[end] == '<') return std::nullopt;
  const std::string_view inside = text.substr(1, end - 1);
  Tag tag{.name = {}, .attributes = {}, .length = end + 1};
  std::size_t i = 0;
  while (i < inside.size() && i < 12 &&
         (std::isalnum(static_cast<unsigned char>(inside[i])) || (i == 0 && inside[i] == '/')))
    tag.name += in_lower_case(inside[i++]);
  if (tag.name.empty() || tag.name == "/" || std::isdigit(static_cast<unsigned char>(tag.name[0])))
    return std::nullopt;
  tag.attributes = inside.substr(i);
  return tag;
}

std::size_t span_of(std::string_view attributes, std::string_view name) {
  const std::string text = lower_case(attributes.substr(0, 300));
  const std::size_t at = text.find(name);
  if (at == std::string::npos) return 1;
  const std::size_t digits =
      std::min(text.find_first_not_of(" =\"'", at + name.size()), text.size());
  std::size_t span = 1;
  std::from_chars(text.data() + digits, text.data() + text.size(), span);
  return std::clamp<std::size_t>(span, 1, kMostRows);
}

}  // namespace scalemark::lint
