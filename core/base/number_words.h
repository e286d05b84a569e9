// Numbers in texts: read as std::from_chars reads them, and written for people, where each quantity
// has one format, which every answer, table, plan, list and error takes.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace scalemark {

// The number that `text` begins with, if no blank and no plus stands before it and the type holds
// it.
template <class Number = int>
std::optional<Number> leading_number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() ? std::optional(value) : std::nullopt;
}

// Likewise, the number that the whole `text` is.
template <class Number = int>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_all = read.ec == std::errc() && read.ptr == text.data() + text.size();
  return is_all ? std::optional(value) : std::nullopt;
}

// The functions below are for people: machine-read forms (report.json, CSV, Prometheus, JUnit's
// times) hold raw numbers instead. Numbers that are not finite become "nan", "inf" and "-inf" in
// every function.

// --- Digits, of numbers without a unit.

// Programs read these: exact() is the shortest text that reads back bit by bit, and printed() takes
// a `pattern` of printf with one place for a double. People get one of the functions below.
std::string exact(double value);
std::string printed(const char* pattern, double value);

// "12.3", "-0.5"; never "-0.0". So many decimals, from 0 on.
std::string with_decimals(double value, int decimals);
// "+12.3", "-0.5"; zero has no sign.
std::string with_sign(double value, int decimals);

// So many significant digits, without zeros at the end and without an exponent: 12345678,
// 0.0000123.
std::string significant(double value, int digits);

// Four digits of 1 and more, with commas between thousands, and three of less: "7,377", "123.4",
// "12.34", "0.123", "0.0123". It also prints rates, where the unit stands elsewhere.
std::string readable(double value);
// "9.87", "98.7", "987", "9,870"; two digits of less than a tenth: "0.041".
std::string three_digits(double value);
// "~1.4", "~77", "~1,200": for numbers of which only two digits mean anything.
std::string two_digits(double value);
// 12345.6 -> "12,346"
std::string grouped(double value);

// --- Shares and probabilities.

// 0.703 -> "70.3": for columns that have the sign in their head.
std::string percent_text(double share);
// 0.123 -> "12.3 %"
std::string percent(double share, int decimals = 1);
// A share that is a limit, without zeros at the end: "5 %", "0.25 %".
std::string given_percent(double share);
// 0.012 -> "+1.2", -0.004 -> "-0.4": a change.
std::string change_in_percent(double share);
// "p 0.012", "p below 0.001"
std::string p_text(double p);
// "0.012", "<0.001": for columns.
std::string p_digits(double p);

// --- Rates.

// "143.2 GFLOP/s", "12.50 GB/s": units that count bytes and FLOP take a prefix of 1000; others, and
// an empty one, do not: "1,344 images/s".
std::string rate_text(double value, const std::string& unit);
// "12.50 GB/s", "0.0410 GB/s": in one unit whatever the size of the message, as nccl-tests does.
std::string bandwidth_text(double GBps);
// "10.20 to 12.50" in the prefix that rate_text(value, unit) takes.
std::string rate_range(double low, double high, double value, const std::string& unit);

// --- Times, in seconds.

// A measured time in three digits: "112 us", "1.23 ms", "2.50 s"; from 100 s on "1:40".
std::string duration_text(double seconds);
// 0.01234 -> "12.34", 0.0001234 -> "123.4": for columns that have the unit in their head.
std::string in_milliseconds(double seconds);
std::string in_microseconds(double seconds);
// A time that passes or is left: "0.4 s", "34 s"; from 99.5 s on "2:40".
std::string age_text(double seconds);
// "0:24", "1:02:03", "26:00:00": whole seconds, the rest dropped; below zero "0:00".
std::string clock_text(double seconds);
// An estimate in two digits: "42 s", "12 min", "26 h", "5 days".
std::string rough_duration(double seconds);
// A limit as it was given: "30 s", "0.25 s".
std::string seconds_text(double seconds);

// --- Sizes, in bytes.

// Powers of 1024 in three digits, and whole ones without decimals: "1000 B", "4 KiB", "97.5 MiB",
// "1.50 GiB".
std::string size_text(double bytes);

// "512MiB", "2GB", "4096B" -> bytes: powers of 1024 with an i, of 1000 without. Absent for anything
// else: no unit, no whole number, none at all, or more than int64 holds.
std::optional<std::int64_t> parse_byte_size(std::string_view text);

}  // namespace scalemark
