#include "core/base/number_words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>

namespace scalemark {
namespace {

constexpr double kClockFrom_s = 99.5;  // below it seconds have three digits at most

constexpr std::size_t kMostCharacters = 700;  // the largest double has 309 digits

// `pattern`: of printf, with a place for the decimals and one for the number.
std::string printed(const char* pattern, int decimals, double value) {
  if (std::isnan(value)) return "nan";  // the sign of a NaN says nothing
  std::array<char, kMostCharacters> text{};
  std::snprintf(text.data(), text.size(), pattern, decimals, value);
  return text.data();
}

bool is_zero(const std::string& digits) {
  return digits.find_first_of("123456789in") == std::string::npos;  // "inf", "nan"
}

// Digits are counted by the logarithm, which other values, such as zero, do not have.
bool has_digits(double value) { return std::abs(value) >= 1e-300 && std::abs(value) <= 1e300; }

double rounded_to(double value, int digits) {
  if (!has_digits(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(value))) - digits + 1);
  return std::round(value / unit) * unit;
}

struct Prefix {
  double factor;
  const char* letter;
};

Prefix prefix_of(double value, std::string_view unit) {
  constexpr std::array kPrefixes = {Prefix{1e15, "P"}, Prefix{1e12, "T"}, Prefix{1e9, "G"},
                                    Prefix{1e6, "M"}, Prefix{1e3, "k"}};
  if (unit != "B/s" && unit != "FLOP/s") return {1, ""};
  const auto fits = [&](const Prefix& prefix) { return value >= prefix.factor; };
  const auto found = std::ranges::find_if(kPrefixes, fits);
  return found == kPrefixes.end() ? Prefix{1, ""} : *found;
}

struct Unit {
  std::string_view suffix;
  std::int64_t bytes;
};
constexpr Unit kUnits[] = {{"KiB", 1LL << 10},
                           {"MiB", 1LL << 20},
                           {"GiB", 1LL << 30},
                           {"TiB", 1LL << 40},
                           {"kB", 1'000},
                           {"KB", 1'000},
                           {"MB", 1'000'000},
                           {"GB", 1'000'000'000},
                           {"TB", 1'000'000'000'000},
                           {"B", 1}};  // last, since every unit ends with it

}  // namespace

std::string exact(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string printed(const char* pattern, double value) {
  std::array<char, kMostCharacters> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string with_decimals(double value, int decimals) {
  std::string text = printed("%.*f", decimals, value);
  if (text.front() == '-' && is_zero(text)) text.erase(0, 1);
  return text;
}

std::string with_sign(double value, int decimals) {
  const std::string text = printed("%+.*f", decimals, value);
  return is_zero(text) ? text.substr(1) : text;
}

std::string significant(double value, int digits) {
  if (!has_digits(value)) return with_decimals(value, 0);
  // A number that rounds up to the next power of ten has one decimal less.
  const double size = std::abs(rounded_to(value, digits));
  const int decimals =
      std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size) + 1e-9)), 0, 300);
  std::string text = printed("%.*f", decimals, value);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string readable(double value) {
  const double size = std::abs(value);
  if (size >= 999.95 && std::isfinite(size)) return grouped(value);
  if (size < 0.1) return significant(value, 3);
  return with_decimals(value, size >= 99.995 ? 1 : size >= 0.9995 ? 2 : 3);
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  if (size >= 999.5 && std::isfinite(size)) return grouped(value);
  if (size < 0.095) return significant(value, 2);
  return with_decimals(value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string two_digits(double value) {
  const double rounded = rounded_to(value, 2), size = std::abs(rounded);
  if (!std::isfinite(size)) return grouped(rounded);
  std::string text = "~";
  return text += size < 0.95   ? significant(rounded, 2)
                 : size < 9.95 ? with_decimals(rounded, 1)
                               : grouped(rounded);
}

std::string grouped(double value) {
  const std::string digits = with_decimals(std::abs(value), 0);
  std::string text = value < 0 && digits != "0" ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string percent_text(double share) { return with_decimals(100 * share, 1); }

std::string percent(double share, int decimals) {
  return with_decimals(100 * share, decimals) + " %";
}

std::string given_percent(double share) { return significant(100 * share, 3) + " %"; }

std::string change_in_percent(double share) { return with_sign(100 * share, 1); }

std::string p_digits(double p) { return p < 0.001 ? "<0.001" : with_decimals(p, 3); }

std::string p_text(double p) {
  std::string text = "p ";
  return text += p < 0.001 ? "below 0.001" : with_decimals(p, 3);
}

std::string rate_text(double value, const std::string& unit) {
  if (unit.empty()) return significant(value, 4);
  const Prefix prefix = prefix_of(value, unit);
  return readable(value / prefix.factor) + " " + prefix.letter + unit;
}

std::string bandwidth_text(double GBps) { return readable(GBps) + " GB/s"; }

std::string rate_range(double low, double high, double value, const std::string& unit) {
  const double factor = prefix_of(value, unit).factor;
  return readable(low / factor) + " to " + readable(high / factor);
}

std::string duration_text(double seconds) {
  const double size = std::abs(seconds);
  if (!std::isfinite(size)) return seconds_text(seconds);
  const std::string sign = seconds < 0 ? "-" : "";
  if (size < 0.9995e-3) return sign + three_digits(1e6 * size) + " us";
  if (size < 0.9995) return sign + three_digits(1e3 * size) + " ms";
  return sign + (size < 99.95 ? three_digits(size) + " s" : clock_text(size + 0.5));
}

std::string in_milliseconds(double seconds) { return readable(1e3 * seconds); }

std::string in_microseconds(double seconds) { return readable(1e6 * seconds); }

std::string age_text(double seconds) {
  if (seconds >= kClockFrom_s) return clock_text(seconds);
  return with_decimals(seconds, seconds < 9.95 ? 1 : 0) + " s";
}

std::string clock_text(double seconds) {
  constexpr double kMost_s = 1e15;  // thirty million years still fit an integer
  if (!std::isfinite(seconds)) return seconds_text(seconds);
  const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, kMost_s));
  const auto two = [](std::int64_t number) { return std::to_string(100 + number).substr(1); };
  const std::int64_t hours = whole / 3600, minutes = whole / 60 % 60;
  return (hours > 0 ? std::to_string(hours) + ":" + two(minutes) : std::to_string(minutes)) + ":" +
         two(whole % 60);
}

std::string rough_duration(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 24 * kHour;
  if (seconds < kClockFrom_s) return significant(seconds, 2) + " s";
  if (seconds < 100 * kMinute) return significant(seconds / kMinute, 2) + " min";
  if (seconds < 2 * kDay) return significant(seconds / kHour, 2) + " h";
  return significant(seconds / kDay, 2) + " days";
}

std::string seconds_text(double seconds) { return significant(seconds, 4) + " s"; }

std::string size_text(double bytes) {
  constexpr std::array kNames = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double size = std::abs(bytes);
  std::size_t unit = 0;
  const auto fits = [&] { return size < (size == std::floor(size) ? 1024 : 1023.5); };
  for (; std::isfinite(size) && !fits() && unit + 1 < kNames.size(); ++unit) size /= 1024;
  const bool whole = size == std::floor(size);
  const std::string digits = with_decimals(size, whole || size >= 99.95 ? 0
                                                 : size >= 9.995        ? 1
                                                                        : 2);
  return (bytes < 0 ? "-" : "") + digits + " " + kNames[unit];
}

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();
  if (text.starts_with('+')) text.remove_prefix(1);
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto count = whole_number<std::int64_t>(text.substr(0, text.size() - unit.suffix.size()));
    if (!count || *count < 1 || *count > kMostBytes / unit.bytes) return std::nullopt;
    return *count * unit.bytes;
  }
  return std::nullopt;
}

}  // namespace scalemark
