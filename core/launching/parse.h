// Whole numbers from text, without wrapping, clamping or trailing rubbish.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace scalemark::launching {

// Decimal digits only, so no sign and no space; absent when it does not fit.
template <typename Integer = int>
std::optional<Integer> parse_whole(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return {};
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace scalemark::launching
