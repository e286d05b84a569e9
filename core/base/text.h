// Text helpers that every module uses. Knows nothing of the texts' subjects.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace scalemark {

// The `texts` in their order, with `separator` between them.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

// 0.123 -> "12.3 %"
inline std::string percent(double share) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
  return text.data();
}

}  // namespace scalemark
