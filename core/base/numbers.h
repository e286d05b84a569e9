// Numbers in texts, as std::from_chars reads them: no blank and no plus before them, and none that
// the type does not hold.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace scalemark {

// The number that `text` begins with.
template <class Number = int>
std::optional<Number> leading_number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// The number that `text` is.
template <class Number = int>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_all ? std::optional(value) : std::nullopt;
}

}  // namespace scalemark
