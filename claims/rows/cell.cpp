#include "claims/rows/cell.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/characters.h"
#include "core/base/number_words.h"

namespace scalemark::tables {
namespace {

constexpr std::size_t kLongestCell = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

class CellReader {
 public:
  CellReader(std::string_view text, Decimal decimal) : text_(text), decimal_(decimal) {}

  std::optional<std::vector<Value>> all() {
    std::vector<Value> values;
    auto first = value();
    if (!first) return std::nullopt;
    values.push_back(std::move(*first));
    while (true) {
      blanks();
      if (done()) return values;
      if (here() == '(' || here() == '[') {
        if (!bracket(values)) return std::nullopt;
      } else if (here() == '^' && foot_mark()) {
        continue;
      } else if (std::string_view("*!#;,./|").find(here()) != std::string_view::npos) {
        ++at_;
      } else if (!second(values) && !rest_has_no_number()) {
        return std::nullopt;
      }
    }
  }

 private:
  bool done() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  std::string_view left() const { return text_.substr(std::min(at_, text_.size())); }
  bool starts(std::string_view word) const { return left().starts_with(word); }
  bool take(std::string_view word) {
    if (!starts(word)) return false;
    at_ += word.size();
    return true;
  }
  void blanks() {
    while (!done() && (here() == ' ' || here() == '\n' || here() == '\t')) ++at_;
  }

  // Skips what may stand before a number: "about", "at least", a sign.
  void before(Value& value) {
    for (bool again = true; again;) {
      again = false;
      blanks();
      for (const std::string_view word : {"~", ">", "<", "=", "ca.", "about", "approx.", "around"})
        again = take(word) || again;
      if (take("+")) again = value.gain = true;
    }
    if (!done() && here() == 'x' && left().size() > 1 &&
        (is_digit(left()[1]) || left()[1] == ' ')) {
      ++at_;
      blanks();
      value.unit = Unit::kTimes;
    }
  }

  std::optional<Value> value() {
    Value value;
    before(value);
    if (auto time = clock()) return time;
    const std::size_t begin = at_;
    const bool negative = take("-");
    const bool bare = starts(".") && left().size() > 1 && is_digit(left()[1]);
    if (!bare && (done() || !is_digit(here()))) return std::nullopt;
    Digits digits = digits_at(left(), decimal_);
    if (!digits.number) return std::nullopt;
    at_ += digits.length;
    const double factor = power(*digits.number);
    if (factor == 0) return std::nullopt;
    std::string text(text_.substr(begin, at_ - begin));
    value.number = scaled(*digits.number, factor * (factor == 1 ? multiplier(text) : 1));
    value.number.text = text;
    if (negative) value.number.value *= -1;
    if (!spread()) return std::nullopt;
    const std::string unit = unit_words();
    const bool times = value.unit == Unit::kTimes;
    if (!give_unit(unit, value) || (times && value.unit == Unit::kRate)) return std::nullopt;
    if (times) value.unit = Unit::kTimes;
    if (value.gain) value.gain = value.unit == Unit::kPercent;
    if (value.unit == Unit::kTime) add_times(value);
    if (!spread(unit)) return std::nullopt;
    return value;
  }

  // Reads "e4", "x 10^4" and the power of "10^4"; returns 1 without one, 0 for one that is wrong.
  double power(Printed& number) {
    std::size_t i = at_;
    const auto at = [&](std::size_t k) { return k < text_.size() ? text_[k] : '\0'; };
    if ((at(i) == 'e' || at(i) == 'E') &&
        (is_digit(at(i + 1)) || ((at(i + 1) == '+' || at(i + 1) == '-') && is_digit(at(i + 2))))) {
      return exponent(i + 1);
    }
    if (number.text == "10" && at(i) == '^' && (is_digit(at(i + 1)) || at(i + 1) == '-')) {
      number.value = 1;
      return exponent(i + 1);
    }
    while (at(i) == ' ') ++i;
    if (at(i) != 'x' && at(i) != '*') return 1;
    ++i;
    while (at(i) == ' ') ++i;
    return text_.substr(std::min(i, text_.size())).starts_with("10^") ? exponent(i + 3) : 1;
  }

  double exponent(std::size_t i) {
    if (text_[i] == '+') ++i;
    const auto read = leading_number(text_.substr(i));
    if (!read || std::abs(*read) > 30) return 0;
    at_ = i + (text_[i] == '-' ? 1 : 0);
    while (!done() && is_digit(here())) ++at_;
    return std::pow(10.0, *read);
  }

  // "310k", "1.57 k", "3.2 Mtok/s": as many significant digits as without.
  double multiplier(std::string& number) {
    std::size_t i = at_;
    while (i < text_.size() && text_[i] == ' ') ++i;
    if (i >= text_.size()) return 1;
    const std::size_t which = std::string_view("kKMG").find(text_[i]);
    if (which == std::string_view::npos) return 1;
    const std::string_view rest = text_.substr(i + 1);
    const std::string word(rest.begin(), std::ranges::find_if_not(rest, is_letter));
    if (!word.empty() && !names_a_sample(lower_case(word))) return 1;
    if (!rest.empty() && is_digit(rest[0])) return 1;
    at_ = i + 1;
    number += which == 0 ? 'k' : text_[i];
    return which == 3 ? 1e9 : which == 2 ? 1e6 : 1e3;
  }

  // Consumes "+- 2.1", "+/-2.1 %", "+- 2.1 img/s", and returns false where no number follows.
  bool spread(const std::string& unit = "") {
    const std::size_t begin = at_;
    blanks();
    if (!take("+-") && !take("+/-")) {
      at_ = begin;
      return true;
    }
    blanks();
    if (done() || !is_digit(here())) return false;
    at_ += digits_at(left(), decimal_).length;
    for (const std::string& word : {unit, std::string("%")}) {
      const std::size_t behind = at_;
      blanks();
      if (!word.empty() && lower_case(left().substr(0, word.size())) == word)
        at_ += word.size();
      else
        at_ = behind;
    }
    return true;
  }

  // Takes letters and what joins them.
  std::string unit_words() {
    while (!done() && here() == ' ') ++at_;
    std::string words;
    const auto joins = [&](std::size_t i) {
      while (i < text_.size() && (text_[i] == ' ' || text_[i] == '/' || text_[i] == '-')) ++i;
      return i < text_.size() && is_letter(text_[i]);
    };
    while (!done()) {
      const char c = here();
      const bool first = words.empty();
      if (c == 'x' && first && left().size() > 1 && is_digit(left()[1])) break;  // "2x8"
      const bool taken = is_letter(c) || (c == '%' && (first || words.back() == ' ')) ||
                         ((c == '/' || c == ' ' || c == '-') && joins(at_) && (!first || c == '/'));
      if (!taken) break;
      words += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      ++at_;
      if (c == '%' && !joins(at_)) break;
    }
    while (words.ends_with(' ')) words.pop_back();
    return words;
  }

  // Adds "30m" to "12h".
  void add_times(Value& value) {
    for (std::size_t begin = at_;; begin = at_) {
      while (!done() && (here() == ' ' || here() == ',')) ++at_;
      const Digits digits = digits_at(left(), decimal_);
      at_ += digits.length;
      const double seconds = unit_of_time(unit_words());
      if (!digits.number || !(seconds > 0)) {
        at_ = begin;
        return;
      }
      value.number.value += digits.number->value * seconds;
      value.number.unit = digits.number->unit * seconds;
      value.number.text = std::string(text_.substr(0, at_));
    }
  }

  // Reads 1:20:00, which is in hours, and 41:14 in minutes.
  std::optional<Value> clock() {
    std::size_t i = at_;
    double seconds = 0;
    int parts = 0;
    while (i < text_.size() && is_digit(text_[i])) {
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", i), text_.size());
      const double part = leading_number<double>(text_.substr(i)).value_or(0);
      if (end - i > 6 || (parts > 0 && (end - i != 2 || part >= 60))) return std::nullopt;
      seconds = 60 * seconds + part;
      ++parts;
      i = end;
      if (i >= text_.size() || text_[i] != ':') break;
      ++i;
    }
    if (parts < 2 || parts > 3) return std::nullopt;
    Value value;
    value.number = {seconds, 1, std::string(text_.substr(at_, i - at_))};
    value.unit = Unit::kTime;
    value.words = parts == 2 ? "m:s" : "h:m:s";
    at_ = i;
    const std::string unit = unit_words();
    const bool hours = unit_of_time(unit) == 3600;
    if (!unit.empty() && unit_of_time(unit) == 0) return std::nullopt;
    if (parts == 2 && hours) {
      value.number = scaled(value.number, 60);
      value.words = "h:m";
    }
    return value;
  }

  // A share beside a factor counts, any other note in brackets does not; "(k)" would multiply.
  bool bracket(std::vector<Value>& values) {
    const char end = here() == '(' ? ')' : ']';
    const std::size_t close = text_.find(end, at_);
    if (close == std::string_view::npos) return false;
    const std::string inside = lower_case(text_.substr(at_ + 1, close - at_ - 1));
    at_ = close + 1;
    if (inside == "k" || inside == "m" || inside.find("thousand") != std::string::npos ||
        inside.find("million") != std::string::npos || inside.find("10^") != std::string::npos ||
        inside.starts_with("x1"))
      return false;
    const Cell beside = read_cell(inside, decimal_);
    if (beside.values.size() == 1) add_second(beside.values[0], values);
    return true;
  }

  bool foot_mark() {
    ++at_;
    for (int i = 0; i < 2 && !done() && std::isalnum(static_cast<unsigned char>(here())); ++i)
      ++at_;
    return done() || !std::isalnum(static_cast<unsigned char>(here()));
  }

  static bool add_second(const Value& value, std::vector<Value>& values) {
    const Unit a = values[0].unit, b = value.unit;
    const bool pair = (b == Unit::kPercent && a != Unit::kPercent && a != Unit::kTime) ||
                      (b == Unit::kTimes && a != Unit::kTimes);
    if (!pair || values.size() > 1) return false;
    values.push_back(value);
    return true;
  }

  bool second(std::vector<Value>& values) {
    const std::size_t begin = at_;
    if (std::string_view(" \n/,;|").find(text_[at_ - 1]) == std::string_view::npos) return false;
    const auto more = value();
    if (more && more->unit != Unit::kNone && add_second(*more, values)) return true;
    at_ = begin;
    return false;
  }

  // Words on a line of their own say something about the number, and are none.
  bool rest_has_no_number() {
    const std::size_t line = text_.rfind('\n', at_);
    const bool own =
        line != std::string_view::npos && line > 0 && std::ranges::none_of(left(), is_digit);
    if (own) at_ = text_.size();
    return own;
  }

  std::string_view text_;
  Decimal decimal_;
  std::size_t at_ = 0;
};

}  // namespace

Cell read_cell(std::string_view text, Decimal decimal) {
  if (std::ranges::none_of(text, is_digit)) return {.values = {}, .unread = is_not_finite(text)};
  auto values = text.size() <= kLongestCell ? CellReader(text, decimal).all() : std::nullopt;
  return values ? Cell{std::move(*values), false} : Cell{{}, true};
}

}  // namespace scalemark::tables
