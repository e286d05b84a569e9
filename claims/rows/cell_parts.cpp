// Knows the digits of numbers in cells, and the units that stand behind them.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "claims/rows/cell.h"
#include "claims/rows/text_tables.h"
#include "core/base/characters.h"
#include "core/base/number_words.h"

namespace scalemark::tables {
namespace {

constexpr std::size_t kMostDigitsOfACell = 30;

// Digits with the signs between them: "1 571,2" is the groups 1, 571, 2 and the signs " ,".
struct Grouped {
  std::vector<std::string> groups;
  std::string signs;
  std::size_t length = 0;
};

Grouped grouped_at(std::string_view text) {
  Grouped found;
  std::size_t i = 0;
  const auto take = [&] {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", i), text.size());
    found.groups.emplace_back(text.substr(i, end - i));
    i = end;
  };
  take();
  while (i + 1 < text.size() && is_digit_at(text, i + 1)) {
    const char sign = text[i];
    const std::size_t end = std::min(text.find_first_not_of("0123456789", i + 1), text.size());
    if (std::string_view(".,'_ ").find(sign) == std::string_view::npos) break;
    const bool groups = end - i == 4 && found.groups.back().size() <= 3 &&
                        found.signs.find_first_not_of(' ') == std::string::npos &&
                        (end == text.size() || text[end] != ':');
    if (sign == ' ' && !groups) break;
    found.signs += sign;
    ++i;
    take();
  }
  found.length = i;
  return found;
}

// Whether the groups from the second to before `end` have three digits and the first has one to
// three.
bool are_thousands(const Grouped& number, std::size_t end) {
  const auto& groups = number.groups;
  if (groups[0].empty() || groups[0].size() > 3 || groups[0].starts_with('0')) return false;
  return std::all_of(groups.begin() + 1, groups.begin() + static_cast<std::ptrdiff_t>(end),
                     [](const std::string& one) { return one.size() == 3; });
}

// How the signs can be read.
struct Signs {
  char decimal = 0;   // surely the decimal sign
  char grouping = 0;  // surely groups thousands
  char either = 0;    // one sign before three digits
  bool wrong = false;
};

Signs signs_of(const Grouped& number) {
  const std::string& signs = number.signs;
  const std::size_t groups = number.groups.size();
  if (signs.empty()) return {.wrong = number.groups[0].empty()};
  const char last = signs.back();
  const bool point_or_comma = last == '.' || last == ',';
  const bool alike = signs.find_first_not_of(signs[0]) == std::string::npos;
  if (signs.size() == 1 && point_or_comma) {
    const bool thousands = are_thousands(number, 2);
    return thousands ? Signs{.either = last} : Signs{.decimal = last};
  }
  if (alike) return {.grouping = signs[0], .wrong = !are_thousands(number, groups)};
  const bool one_kind = signs.find_first_not_of(signs[0]) == signs.size() - 1 && point_or_comma;
  return {.decimal = last,
          .grouping = signs[0],
          .wrong = !one_kind || !are_thousands(number, groups - 1)};
}

// Rates count these.
constexpr std::string_view kCounted =
    " img imgs image images sample samples token tokens tok toks seq seqs sequence sequences example "
    "examples ex it its iter iters iteration iterations step steps batch batches sentence sentences "
    "frame frames clip clips video videos word words pair pairs record records ";
constexpr std::string_view kRates = " ips fps tps sps ";
// Words behind a unit that leave the number what it is.
constexpr std::string_view kIdle =
    " total avg average mean median best peak max baseline base ref reference faster speedup each est "
    "measured approx ";
// Units of numbers that are not judged as rates or times.
constexpr std::string_view kOthers =
    " gpu gpus card cards device devices node nodes rank ranks b kb mb gb tb kib mib gib tib w kw kwh "
    "wh j kj mj flop flops gflop gflops tflop tflops pflop pflops gbps gbit mbps epoch epochs c usd "
    "eur mhz ghz px bit bits params pp points ";

bool is_among(std::string_view words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string_view::npos;
}

// Takes a unit apart: "images per sec / GPU" -> {"images", "/", "sec", "/", "gpu"}.
std::vector<std::string> words_of_unit(std::string_view text) {
  std::vector<std::string> words{""};
  for (const char c : text) {
    const bool slash = c == '/';
    if ((slash || c == ' ' || c == '-' || c == '.') && !words.back().empty()) words.emplace_back();
    if (slash) words.back() = "/", words.emplace_back();
    if (!slash && c != ' ' && c != '-' && c != '.') words.back() += c;
  }
  for (std::string& word : words) {
    if (word == "per" || word == "a") word = "/";
  }
  while (!words.empty() && (words.back().empty() || is_among(kIdle, words.back())))
    words.pop_back();
  return words;
}

}  // namespace

Digits digits_at(std::string_view text, Decimal decimal) {
  const Grouped number = grouped_at(text);
  Signs signs = signs_of(number);
  Digits found{.number = {}, .length = number.length};
  if (signs.either != 0)
    (signs.either == decimal.sign ? signs.decimal : signs.grouping) = signs.either;
  const bool against =
      (signs.decimal != 0 && signs.decimal != decimal.sign) || signs.grouping == decimal.sign;
  if (signs.wrong || against || (signs.either != 0 && !decimal.sure)) return found;
  std::string digits;
  for (const std::string& group : number.groups) {
    if (signs.decimal != 0 && &group == &number.groups.back()) digits += '.';
    digits += group;
  }
  if (digits.size() > kMostDigitsOfACell) return found;
  const std::size_t decimals = signs.decimal != 0 ? number.groups.back().size() : 0;
  found.number = {leading_number<double>(digits).value_or(0),
                  std::pow(10.0, -static_cast<double>(decimals)),
                  std::string(text.substr(0, number.length))};
  return found;
}

DecimalEvidence decimal_evidence(std::string_view text) {
  const std::size_t first = text.find_first_of("0123456789");
  if (first == std::string_view::npos || first > 8 || text.size() > 200) return {};
  const std::size_t begin = first > 0 && text[first - 1] == '.' ? first - 1 : first;
  // "v1.2" and "TP8,2" are no numbers.
  if (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) &&
      text[begin - 1] != 'x')
    return {};
  const Grouped number = grouped_at(text.substr(begin));
  const Signs signs = signs_of(number);
  if (signs.wrong) return {};
  const char other = signs.grouping == ',' ? '.' : signs.grouping == '.' ? ',' : '\0';
  return {.sign = signs.decimal != 0 ? signs.decimal : other,
          .maybe = signs.either,
          .small = signs.either != 0 && number.groups[0].size() == 1};
}

bool is_not_finite(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t+-"), text.size());
  const std::string_view rest = text.substr(begin);
  const std::string word(rest.begin(), std::ranges::find_if_not(rest, [](unsigned char c) {
                           return std::isalpha(c) != 0;
                         }));
  const std::string small = lower_case(word);
  return small == "nan" || small == "inf" || small == "infinity";
}

Printed as_printed(double value) {
  const std::string text = significant(value, 15);
  const auto read = digits_at(text.starts_with('-') ? text.substr(1) : text, {}).number;
  return {value, read ? read->unit : 1, text};
}

Printed scaled(Printed printed, double factor) {
  printed.value *= factor;
  printed.unit *= factor;
  return printed;
}

std::optional<Printed> Cell::number(Unit unit) const {
  if (values.empty()) return std::nullopt;
  const Value& first = values.front();
  const bool fits = first.unit == unit || first.unit == Unit::kNone;
  return fits ? std::optional(first.number) : std::nullopt;
}

std::optional<Printed> Cell::seconds(double factor) const {
  const auto time = number(Unit::kTime);
  if (!time) return std::nullopt;
  const Value& first = values.front();
  if (first.unit == Unit::kNone) return scaled(*time, factor);
  // In a column of hours, 2:10 is in hours and minutes.
  return first.words == "m:s" && factor == 3600 ? scaled(*time, 60) : *time;
}

bool names_a_sample(std::string_view word) { return is_among(kCounted, word); }

double unit_of_time(std::string_view word) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {" ms msec ", 1e-3},
      {" us ", 1e-6},
      {" s sec secs second seconds ", 1},
      {" m min mins minute minutes ", 60},
      {" h hr hrs hour hours std ", 3600},
      {" d day days ", 86400}};
  const auto found =
      std::ranges::find_if(kUnits, [&](const auto& one) { return is_among(one.first, word); });
  return found == std::end(kUnits) ? 0 : found->second;
}

bool give_unit(const std::string& text, Value& value) {
  const auto words = words_of_unit(text);
  const auto is = [&](std::size_t i, std::string_view word) {
    return i < words.size() && words[i] == word;
  };
  if (words.empty()) return true;
  value.words = text;
  const std::string& first = words[0];
  const bool alone = words.size() == 1;
  if (alone && is_among(" x times fold ", first)) {
    value.unit = Unit::kTimes;
    return true;
  }
  if (is_among(" % percent pct ", first)) {
    const bool more = is(1, "more") || text.find("faster") != std::string::npos;
    value.unit = Unit::kPercent;
    value.gain = value.gain || more;
    return alone || (more && words.size() == 2);
  }
  // "24/s" counts without a word.
  const std::size_t slash = is(0, "/") ? 0 : 1, per = slash + 1;
  const bool of_others = slash == 1 && (is_among(kOthers, first) || unit_of_time(first) > 0);
  const double second = is(slash, "/") && per < words.size() ? unit_of_time(words[per]) : 0;
  const bool more = per + 1 < words.size();
  if (second > 0 && !of_others && (!more || is(per + 1, "/"))) {
    value.unit = Unit::kRate;
    value.number = scaled(value.number, 1 / second);
    // "img/min" is told as the rate per second that it now is.
    if (second != 1) value.words = (slash == 1 ? first : "") + "/s" + (more ? "/gpu" : "");
    return !more || (per + 2 < words.size() && is_among(kOthers, words[per + 2]));
  }
  if (alone && is_among(kRates, first)) {
    value.unit = Unit::kRate;
    return true;
  }
  if (const double seconds = unit_of_time(first); seconds > 0 && (alone || is(1, "/"))) {
    // "ms/step" is a time, "ms/image" is none of a step or of a run.
    const bool piece =
        words.size() == 3 && is_among(" step it iter iteration batch epoch ", words[2]);
    value.unit = alone || piece ? Unit::kTime : Unit::kOther;
    if (value.unit == Unit::kTime) value.number = scaled(value.number, seconds);
    return true;
  }
  value.unit = Unit::kOther;
  return std::ranges::all_of(words, [](const std::string& word) {
    return word == "/" || is_among(kOthers, word) || names_a_sample(word) || unit_of_time(word) > 0;
  });
}

}  // namespace scalemark::tables
