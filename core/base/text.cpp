#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace scalemark {
namespace {

// Where `option` stands in a command line, with the value of one that has it: [first, second).
// Empty, at the end, where it does not.
std::pair<std::size_t, std::size_t> place_of(const std::string& command, std::string_view option,
                                             bool has_value) {
  for (std::size_t at = 0; (at = command.find(option, at)) != std::string::npos; ++at) {
    std::size_t end = at + option.size();
    const bool joined_value = end < command.size() && command[end] == '=';
    if (end < command.size() && command[end] != ' ' && !joined_value) continue;
    // The value ends at the next blank that stands in no quotes.
    if (has_value && end < command.size()) {
      bool quoted = false;
      for (++end; end < command.size() && (quoted || command[end] != ' '); ++end) {
        if (command[end] == '\'') quoted = !quoted;
      }
    }
    return {at, end};
  }
  return {command.size(), command.size()};
}

}  // namespace

std::string significant(double value, int digits) {
  const double size = std::abs(value);
  if (!(size > 0) || !std::isfinite(size)) return printed("%g", value);
  // A number that rounds up to the next power of ten has one decimal less.
  const double unit = std::pow(10, std::floor(std::log10(size)) - digits + 1);
  const double rounded = std::round(size / unit) * unit;
  const int decimals =
      std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(rounded) + 1e-9)), 0, 300);
  std::array<char, 700> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string result = text.data();
  if (decimals > 0) {
    result.erase(result.find_last_not_of('0') + 1);
    if (result.ends_with('.')) result.pop_back();
  }
  return result;
}

std::string grouped(double value) {
  const std::string digits = printed("%.0f", std::abs(value));
  std::string text = value <= -0.5 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(seconds);
  std::array<char, 80> text{};
  if (whole >= 3600) {
    std::snprintf(text.data(), text.size(), "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60,
                  whole % 60);
  } else {
    std::snprintf(text.data(), text.size(), "%ld:%02ld", whole / 60, whole % 60);
  }
  return text.data();
}

std::string without_option(std::string command, std::string_view option, bool has_value) {
  const auto [begin, end] = place_of(command, option, has_value);
  return command.erase(begin, end - begin);
}

std::optional<std::string> option_value(const std::string& command, std::string_view option) {
  const auto [begin, end] = place_of(command, option, true);
  const std::size_t value = begin + option.size() + 1;
  if (value >= end) return std::nullopt;
  std::string text = command.substr(value, end - value);
  std::erase(text, '\'');
  return text;
}

std::string p_text(double p) { return p < 0.001 ? "p below 0.001" : printed("p %.3f", p); }

}  // namespace scalemark
