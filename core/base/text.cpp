#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/encoding.h"
#include "core/base/shown_text.h"

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

// Whether a terminal would act on a part of it, or show it as something else. What ends with a line
// end cannot be printed by a command substitution, which drops it.
bool has_unshown(std::string_view word) {
  if (word.ends_with('\n')) return false;
  while (!word.empty()) {
    const std::size_t length = utf8_length(word);
    if (length == 0 || acting_length(word) > 0) return true;
    word.remove_prefix(length);
  }
  return false;
}

// Every POSIX shell reads "$(printf '...')" back; $'...' of bash has another meaning in dash, where
// a quote within it would end the word.
std::string printed_word(std::string_view word) {
  constexpr std::string_view kPrintedBegin = "\"$(printf '";
  std::string text(kPrintedBegin);
  while (!word.empty()) {
    const std::size_t length = utf8_length(word), acting = acting_length(word);
    const std::size_t taken = std::max<std::size_t>(length, 1);
    // printf would take a dash at the beginning for an option.
    const bool is_option = word.front() == '-' && text == kPrintedBegin;
    const bool named = length == 0 || acting > 0 || word.front() == '\'' || is_option;
    for (const char c : word.substr(0, taken)) {
      if (named) {
        std::array<char, 5> octal{};
        std::snprintf(octal.data(), octal.size(), "\\%03o", static_cast<unsigned char>(c));
        text += octal.data();
      } else {
        text += std::string(c == '\\' || c == '%' ? 2 : 1, c);
      }
    }
    word.remove_prefix(taken);
  }
  return text + "')\"";
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

std::string shell_word(const std::string& word) {
  if (has_unshown(word)) return printed_word(word);
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string shortened(const std::string& text, std::size_t width) {
  constexpr std::string_view kDots = " ...";
  std::size_t characters = 0, cut = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
    if (begins && text[i] == ' ' && characters + kDots.size() <= width) cut = i;
    characters += begins ? 1 : 0;
  }
  return characters <= width ? text : text.substr(0, cut) + std::string(kDots);
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
