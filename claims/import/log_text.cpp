#include "claims/import/log_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "claims/rows/text_tables.h"
#include "core/base/strict_json.h"
#include "core/base/text.h"

namespace scalemark::importing {
namespace {

constexpr std::size_t kLongestNumber = 64;
constexpr std::size_t kLongestJson = std::size_t{64} << 20;

// NaN, Infinity and -Infinity outside of strings become null.
std::string without_infinities(std::string_view text) {
  std::string plain;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\' && i + 1 < text.size()) {
      plain += text[i++];
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      bool found = false;
      for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
        if (found || !text.substr(i).starts_with(word)) continue;
        plain += "null";
        i += word.size() - 1;
        found = true;
      }
      if (found) continue;
    }
    plain += text[i];
  }
  return plain;
}

}  // namespace

std::optional<double> number_at(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  std::string digits;
  for (std::size_t i = 0; i < std::min(text.size(), kLongestNumber); ++i) {
    if (text[i] == ',') {
      if (!tables::groups_digits(text, i)) break;
      continue;
    }
    digits += text[i];
  }
  const std::size_t first = digits.starts_with('+') || digits.starts_with('-') ? 1 : 0;
  const bool begins =
      tables::is_digit_at(digits, first) ||
      (digits.size() > first && digits[first] == '.' && tables::is_digit_at(digits, first + 1));
  if (!begins) return std::nullopt;
  double value = 0;
  const char* begin = digits.data() + (digits.front() == '+' ? 1 : 0);
  const auto read = std::from_chars(begin, digits.data() + digits.size(), value);
  if (read.ec != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<double> number_after(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  return number_at(line.substr(at + key.size()));
}

std::optional<double> number_before(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t end = at;
  while (end > 0 && line[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && end - begin < kLongestNumber &&
         (tables::is_digit_at(line, begin - 1) || line[begin - 1] == '.' || line[begin - 1] == ','))
    --begin;
  return number_at(line.substr(begin, end - begin));
}

std::optional<std::int64_t> count_of(const std::optional<double>& number) {
  if (!number || !(*number >= 1) || *number > 1e15 || *number != std::floor(*number))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> number_of(const nlohmann::json& value) {
  if (value.is_number()) {
    const double number = value.get<double>();
    return std::isfinite(number) ? std::optional(number) : std::nullopt;
  }
  if (!value.is_string()) return std::nullopt;
  const std::string& text = value.get_ref<const std::string&>();
  const bool plain =
      !text.empty() && text.find_first_not_of("0123456789.eE+-") == std::string::npos;
  return plain ? number_at(text) : std::nullopt;
}

std::optional<double> number_of(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number_of(*found);
}

std::optional<nlohmann::json> json_object(std::string_view text) {
  if (text.empty() || text.front() != '{' || text.size() > kLongestJson || nests_too_deep(text))
    return std::nullopt;
  auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    json = nlohmann::json::parse(without_infinities(text), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return std::nullopt;
  return json;
}

double rounded_to(double value, int digits) {
  return number_at(significant(value, digits)).value_or(value);
}

}  // namespace scalemark::importing
