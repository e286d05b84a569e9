#include "core/lint/table.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"

namespace scalemark::lint {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// These may stand before a number: markup, "about", a sign.
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
  std::size_t length = 0;  // in the text, with the commas that group them
};

// Digits with at most one point, and commas between groups of three.
Digits digits_of(std::string_view text) {
  Digits found;
  const auto is_at = [&](std::size_t i) { return i < text.size() && is_digit(text[i]); };
  for (std::size_t& i = found.length; i < text.size(); ++i) {
    const bool whole = found.text.find('.') == std::string::npos;
    const bool groups = text[i] == ',' && !found.text.empty() && whole && is_at(i + 1) &&
                        is_at(i + 2) && is_at(i + 3) && !is_at(i + 4);
    if (groups) continue;
    const bool point = text[i] == '.' && whole && is_at(i + 1);
    if (!is_digit(text[i]) && !point) break;
    found.text += text[i];
  }
  return found;
}

std::size_t decimals_of(const std::string& digits) {
  const std::size_t point = digits.find('.');
  return point == std::string::npos ? 0 : digits.size() - point - 1;
}

// Whether the keys, made longer by `more`, leave no count of GPUs twice.
template <class More>
bool tells_apart(const std::vector<const Row*>& rows, More more) {
  std::set<std::pair<std::string, double>> seen;
  return std::ranges::all_of(rows, [&](const Row* row) {
    return seen.insert({more(*row), *row->gpus}).second;
  });
}

std::string text_of(const std::optional<double>& number) {
  return number ? significant(*number, 12) : "";
}

// Rows are split where their counts of GPUs do not rise: a second table below the first.
void add_rising(const std::vector<const Row*>& rows, std::vector<Series>& all) {
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
  // "310k" has as many digits as 310.
  const std::string_view rest = number.substr(digits.length);
  const double factor = rest.starts_with('k') || rest.starts_with('K') ? 1000 : 1;
  return Printed{value * factor, unit * factor,
                 std::string(number.substr(0, digits.length)) + (factor > 1 ? "k" : "")};
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
    if (tells_apart(group, none)) {
      add_rising(group, all);
    } else if (tells_apart(group, batch)) {
      for (const auto& part : grouped_by(group, batch)) add_rising(part, all);
    } else if (tells_apart(group, global)) {
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

}  // namespace scalemark::lint
