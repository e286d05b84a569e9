#include "data/text/json_lines.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "core/base/characters.h"
#include "core/base/strict_json.h"
#include "data/text/utf8.h"

namespace scalemark::data {
namespace {

using nlohmann::json;

constexpr const char* kText = "text";

// Returns the code unit of the escape \uXXXX with which `escape` starts; absent: there is none.
std::optional<unsigned> unit_of(std::string_view escape) {
  if (escape.size() < 6 || !escape.starts_with("\\u")) return std::nullopt;
  const std::string digits(escape.substr(2, 4));
  if (digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) return std::nullopt;
  return static_cast<unsigned>(std::stoul(digits, nullptr, 16));
}

bool is_high(std::optional<unsigned> unit) { return unit && *unit >= 0xD800 && *unit <= 0xDBFF; }
bool is_low(std::optional<unsigned> unit) { return unit && *unit >= 0xDC00 && *unit <= 0xDFFF; }

// Appends the escape with which `rest` starts and returns its length; half a surrogate pair becomes
// U+FFFD.
std::size_t append_escape(std::string_view rest, std::string& out) {
  const auto unit = unit_of(rest);
  std::size_t length = unit ? 6 : std::min<std::size_t>(2, rest.size());
  if (is_high(unit) && is_low(unit_of(rest.substr(6)))) {
    length = 12;
  } else if (is_high(unit) || is_low(unit)) {
    out += "\\ufffd";
    return length;
  }
  out += rest.substr(0, length);
  return length;
}

// Returns the length of the number with which `rest` starts; 0: there is none. The number may be
// too large for a double, or Python's NaN or Infinity, which JSON lacks.
std::size_t number_length(std::string_view rest) {
  for (const std::string_view word : {"NaN", "Infinity"}) {
    if (rest.starts_with(word)) return word.size();
  }
  return std::min(rest.find_first_not_of("0123456789"), rest.size());
}

// Returns a line that our parser accepts where only Python accepts the original.
std::string mended(std::string_view line) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view rest = line.substr(at);
    if (in_string && rest.front() == '\\') {
      at += append_escape(rest, out);
      continue;
    }
    if (const std::size_t number = in_string ? 0 : number_length(rest); number > 0) {
      out += '0';
      at += number;
      continue;
    }
    if (rest.front() == '"') in_string = !in_string;
    const std::size_t start = at;
    const char32_t c = next_code_point(line, at);
    if (c == kReplacement) {
      append_utf8(c, out);
    } else {
      out += line.substr(start, at - start);
    }
  }
  return out;
}

// Returns a discarded value where `line` is no JSON.
json parsed(std::string_view line) {
  if (nests_too_deep(line)) return json(json::value_t::discarded);
  json value = json::parse(line, nullptr, false);
  return value.is_discarded() ? json::parse(mended(line), nullptr, false) : value;
}

std::optional<std::string> text_of(const json& value) {
  if (!value.is_object()) return std::nullopt;
  const auto found = value.find(kText);
  if (found == value.end() || !found->is_string()) return std::nullopt;
  return found->get<std::string>();
}

// Whether the line begins a document that continues in further lines, or is cut off.
bool begins_json(std::string_view line) {
  if (line == "{" || line == "[") return true;
  const std::size_t next = line.find_first_not_of(" \t", 1);
  return next != std::string_view::npos && line[next] == (line.front() == '{' ? '"' : '{');
}

}  // namespace

FirstLine form_of_first(std::string_view line) {
  if (!line.starts_with('{') && !line.starts_with('[')) return FirstLine::kPlain;
  const json value = parsed(line);
  if (value.is_object()) return text_of(value) ? FirstLine::kJsonLine : FirstLine::kOtherJson;
  if (value.is_array()) {  // "[1]" is a footnote.
    const bool of_data = !value.empty() && !value.front().is_number();
    return of_data ? FirstLine::kOtherJson : FirstLine::kPlain;
  }
  return begins_json(line) ? FirstLine::kOtherJson : FirstLine::kPlain;
}

std::optional<std::string> text_of_json(std::string_view line) { return text_of(parsed(line)); }

}  // namespace scalemark::data
