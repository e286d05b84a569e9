#include "claims/rows/table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/base/number_words.h"

namespace scalemark::tables {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Skips what may stand before a number: markup, "about", a sign.
std::string_view from_number(std::string_view text) {
  static constexpr std::string_view kBefore[] = {"*",   "_", "`", " ", "~", "\xE2\x89\x88",
                                                 "<b>", "+", "="};
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view before : kBefore) {
      if (!text.starts_with(before)) continue;
      text.remove_prefix(before.size());
      again = true;
    }
  }
  return text;
}

struct Digits {
  std::string text;
  std::size_t length = 0;  // bytes in the text, with the signs that group the digits
};

// Returns how many bytes separate a group of three digits from those before it: a comma, a blank, a
// narrow or no-break blank, or an apostrophe. Returns 0 where nothing does.
std::size_t separator_at(std::string_view text, std::size_t i) {
  static constexpr std::string_view kSeparators[] = {",", " ", "'", "\xC2\xA0", "\xE2\x80\xAF"};
  const auto is_at = [&](std::size_t k) { return k < text.size() && is_digit(text[k]); };
  for (const std::string_view one : kSeparators) {
    if (!text.substr(i).starts_with(one)) continue;
    const std::size_t k = i + one.size();
    if (is_at(k) && is_at(k + 1) && is_at(k + 2) && !is_at(k + 3)) return one.size();
  }
  return 0;
}

// Reads digits with at most one point. Groups of three may stand apart.
Digits digits_of(std::string_view text) {
  Digits found;
  while (found.length < text.size()) {
    const std::size_t i = found.length;
    const bool whole = found.text.find('.') == std::string::npos;
    const std::size_t skipped = !found.text.empty() && whole ? separator_at(text, i) : 0;
    if (skipped > 0) {
      found.length += skipped;
      continue;
    }
    const bool point = text[i] == '.' && whole && i + 1 < text.size() && is_digit(text[i + 1]);
    if (!is_digit(text[i]) && !point) break;
    found.text += text[i];
    found.length++;
  }
  return found;
}

std::size_t decimals_of(const std::string& digits) {
  const std::size_t point = digits.find('.');
  return point == std::string::npos ? 0 : digits.size() - point - 1;
}

// Returns the seconds of "h", "min", "s", ...; 0 for any other word.
double unit_of_time(std::string_view word) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e-3},    {"us", 1e-6},    {"h", 3600},    {"hr", 3600}, {"hrs", 3600},
      {"hour", 3600},  {"hours", 3600}, {"m", 60},      {"min", 60},  {"mins", 60},
      {"minutes", 60}, {"s", 1},        {"sec", 1},     {"secs", 1},  {"seconds", 1},
      {"d", 86400},    {"day", 86400},  {"days", 86400}};
  const auto found = std::ranges::find(kUnits, word, [](const auto& one) { return one.first; });
  return found == std::end(kUnits) ? 0 : found->second;
}

// Whether the rows are distinct by their keys, extended by `more`, and their counts of GPUs.
template <class More>
bool distinguishes(const std::vector<const Row*>& rows, More more) {
  std::set<std::pair<std::string, double>> seen;
  return std::ranges::all_of(rows, [&](const Row* row) {
    return seen.insert({more(*row), *row->gpus}).second;
  });
}

std::string text_of(const std::optional<double>& number) {
  return number ? significant(*number, 12) : "";
}

// Splits rows where their counts of GPUs do not rise: a second table begins below the first.
void add_rising(std::vector<const Row*> rows, std::vector<Series>& all) {
  const auto falls = [](const Row* a, const Row* b) { return *a->gpus <= *b->gpus; };
  if (std::ranges::adjacent_find(rows, falls) == rows.end()) std::ranges::reverse(rows);
  Series series;
  for (const Row* row : rows) {
    if (!series.empty() && *row->gpus <= *series.back()->gpus) {
      all.push_back(std::move(series));
      series.clear();
    }
    series.push_back(row);
  }
  if (!series.empty()) all.push_back(std::move(series));
}

template <class Key>
std::vector<std::vector<const Row*>> grouped_by(const std::vector<const Row*>& rows, Key key) {
  std::vector<std::vector<const Row*>> groups;
  std::map<std::string, std::size_t> places;
  for (const Row* row : rows) {
    const auto [place, fresh] = places.try_emplace(key(*row), groups.size());
    if (fresh) groups.emplace_back();
    groups[place->second].push_back(row);
  }
  return groups;
}

}  // namespace

std::optional<Printed> read_printed(std::string_view text) {
  const std::string_view number = from_number(text);
  const Digits digits = digits_of(number);
  if (digits.text.empty() || digits.text.size() > 30) return std::nullopt;
  double value = 0;
  std::from_chars(digits.text.data(), digits.text.data() + digits.text.size(), value);
  const double unit = std::pow(10.0, -static_cast<double>(decimals_of(digits.text)));
  std::string_view rest = number.substr(digits.length);
  // Programs may print "1.9e4".
  double power = 1;
  if (rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'E') &&
      (is_digit(rest[1]) ||
       (rest.size() > 2 && (rest[1] == '+' || rest[1] == '-') && is_digit(rest[2])))) {
    int exponent = 0;
    const char* first = rest.data() + (rest[1] == '+' ? 2 : 1);
    std::from_chars(first, rest.data() + rest.size(), exponent);
    power = std::pow(10.0, std::clamp(exponent, -30, 30));
    rest = {};
  }
  // "310k" has as many significant digits as 310.
  const bool thousands = rest.starts_with('k') || rest.starts_with('K');
  const bool millions = rest.starts_with('M') && !rest.starts_with("Mi") && !rest.starts_with("MB");
  const double factor = thousands ? 1e3 : millions ? 1e6 : power;
  return Printed{value * factor, unit * factor,
                 std::string(number.substr(0, digits.length)) + (thousands  ? "k"
                                                                 : millions ? "M"
                                                                            : "")};
}

std::optional<Printed> read_duration(std::string_view text, double factor) {
  const auto first = read_printed(text);
  if (!first) return std::nullopt;
  std::string_view rest = from_number(text);
  double seconds = 0, unit = 0, clock = 0;
  int parts = 0;
  bool has_units = false;
  while (const auto number = read_printed(rest)) {
    rest.remove_prefix(digits_of(rest).length);
    const bool colon = rest.starts_with(':');
    clock = 60 * clock + number->value;
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == ':')) rest.remove_prefix(1);
    const auto word = rest.substr(0, rest.find_first_of("0123456789 ,|"));
    const double scale = colon ? 0 : unit_of_time(word);
    has_units = has_units || scale > 0;
    seconds += number->value * scale;
    unit = number->unit * scale;
    parts++;
    if (!colon) rest.remove_prefix(scale > 0 ? word.size() : 0);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    if (!colon && !(scale > 0)) break;
  }
  Printed found = *first;
  found.text = std::string(from_number(text));
  if (has_units) {
    found.value = seconds;
    found.unit = unit;
  } else if (parts >= 2) {
    // 1:20:00 is in hours, 41:14 in minutes.
    found.value = clock;
    found.unit = 1;
  } else {
    found = scaled(*first, factor);
  }
  return found;
}

Printed as_printed(double value) {
  const std::string text = significant(value, 15);
  return {value, std::pow(10.0, -static_cast<double>(decimals_of(text))), text};
}

Printed scaled(Printed printed, double factor) {
  printed.value *= factor;
  printed.unit *= factor;
  return printed;
}

std::vector<Series> series_of(const Table& table) {
  std::vector<const Row*> counted;
  for (const Row& row : table.rows) {
    if (row.gpus) counted.push_back(&row);
  }
  std::vector<Series> all;
  for (const auto& group : grouped_by(counted, [](const Row& row) {
         return row.series + "|" + row.precision + "|" + row.network + "|" + row.chip + "|" +
                row.phase;
       })) {
    const auto batch = [](const Row& row) { return text_of(row.batch); };
    const auto global = [](const Row& row) { return text_of(row.global_batch); };
    const auto none = [](const Row&) { return std::string(); };
    if (distinguishes(group, none)) {
      add_rising(group, all);
    } else if (distinguishes(group, batch)) {
      for (const auto& part : grouped_by(group, batch)) add_rising(part, all);
    } else if (distinguishes(group, global)) {
      for (const auto& part : grouped_by(group, global)) add_rising(part, all);
    } else {
      add_rising(group, all);
    }
  }
  return all;
}

std::optional<Printed> rate_of(const Row& row) {
  if (row.rate) return row.rate;
  if (!row.rate_per_gpu || !row.gpus) return std::nullopt;
  return scaled(*row.rate_per_gpu, *row.gpus);
}

}  // namespace scalemark::tables
