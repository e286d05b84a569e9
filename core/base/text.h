// Text helpers that every module uses. Knows nothing of the texts' subjects.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// "1 run", "3 runs".
inline std::string counted(std::int64_t n, std::string_view noun) {
  return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

// "a, b, c, d, e and 3 more".
template <class Texts>
std::string listed(const Texts& texts, std::size_t most = 5) {
  std::string all;
  std::size_t count = 0;
  for (const auto& text : texts) {
    if (++count <= most) all += (count > 1 ? ", " : "") + std::string(text);
  }
  if (count > most) all += " and " + std::to_string(count - most) + " more";
  return all;
}

// "JPEG image (2), SQLite database (1)", by a map of counts.
template <class Counts>
std::string listed_counts(const Counts& counts) {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts) {
    texts.push_back(what + " (" + std::to_string(count) + ")");
  }
  return listed(texts);
}

// `pattern`: of printf, with one place for a double.
inline std::string printed(const char* pattern, double value) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

// So many significant digits, without zeros at the end and without an exponent: 12345678,
// 0.0000123. Numbers that are not finite: "inf", "nan".
std::string significant(double value, int digits);

// Whether such an interval of a rate or ratio says anything: up to a factor of 4.
inline bool is_known(double low, double high) { return low > 0 && high <= 4 * low; }

// It stands in tables for one that says nothing: "not known (2 runs)".
inline std::string not_known(std::int64_t n, std::string_view noun) {
  return "not known (" + counted(n, noun) + ")";
}

// 12345.6 -> "12,346"
std::string grouped(double value);

// Whole seconds, the rest dropped: "0:24", "1:02:03"
std::string clock_text(double seconds);

// "p 0.012", "p below 0.001"
std::string p_text(double p);

// A command line of shell words without the first `option` (" --output", with the blank before)
// and, where it has one, its value.
std::string without_option(std::string command, std::string_view option, bool has_value);

// The value of the first `option` in such a line, as the shell would read a plain word or one in
// single quotes. Absent where it is not there.
std::optional<std::string> option_value(const std::string& command, std::string_view option);

// 0.123 -> "12.3 %"
inline std::string percent(double share) { return printed("%.1f %%", 100 * share); }

}  // namespace scalemark
