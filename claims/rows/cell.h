// Reads a cell of somebody's table: the whole cell, or nothing of it. No number is ever the
// beginning of what is printed. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::tables {

// A number as it was printed. It may have been rounded or truncated: the true value lies within one
// unit of the last digit.
struct Printed {
  double value = 0;
  double unit = 0;
  std::string text;  // the number without what surrounds it

  double low() const { return value - unit; }
  double high() const { return value + unit; }
};

// Prints a number with the fewest digits that read back as the same number.
Printed as_printed(double value);

// Returns `printed` in other units: a per cent of 98.5 times 0.01.
Printed scaled(Printed printed, double factor);

// Tells what stands behind a number.
enum class Unit {
  kNone,     // "3,100", "3,100 (fp16)"
  kRate,     // "310 img/s", "24/s": the number is per second
  kTime,     // "90 min", "1:20:00", "12h 30m": the number is in seconds
  kTimes,    // "7.9x"
  kPercent,  // "98 %"
  kOther,    // "16 GB", "8 GPUs"
};

struct Value {
  Printed number;
  Unit unit = Unit::kNone;
  std::string words;  // the unit in lower case: "img/s"; "m:s" for "41:14"
  bool gain = false;  // "+95 %": what is added to 100 %
};

// The decimal sign of a table. Where it is not sure, "1.571" is not read: it may be a thousand.
struct Decimal {
  char sign = '.';
  bool sure = true;
};

// A factor and a share may share a cell: "1.95x (98 %)".
struct Cell {
  std::vector<Value> values;  // at most two
  bool unread = false;        // the cell holds digits or "nan", and not all of it is understood

  // Returns the first number where it has this unit, or none.
  std::optional<Printed> number(Unit unit = Unit::kNone) const;
  // Returns the first number in seconds, where `factor` is the seconds of the column's unit.
  std::optional<Printed> seconds(double factor) const;
};

// Whether a text begins as programs print what is no finite number: "nan", "-inf img/s".
bool is_not_finite(std::string_view text);

// `text` is a cell without markup (plain_text() of text_tables.h). Any other text without digits,
// such as "-" or "n/a", has no number and is not unread.
Cell read_cell(std::string_view text, Decimal decimal = {});

// The number that a text begins with, without a unit; nothing where its signs cannot be read so.
// `length` is in bytes of the text.
struct Digits {
  std::optional<Printed> number;
  std::size_t length = 0;
};
Digits digits_at(std::string_view text, Decimal decimal);

// The reader's units. give_unit() gives the number the unit that the words mean (in lower case),
// and returns false for words that are none; unit_of_time() is in seconds, 0 for other words.
bool give_unit(const std::string& words, Value& value);
double unit_of_time(std::string_view word);
bool names_a_sample(std::string_view word);  // "img", "tokens", "it"

// Whether the first number of a text shows what the decimal sign is. `maybe` is the sign that
// stands before three digits, as in "1.571", where it shows nothing.
struct DecimalEvidence {
  char sign = 0, maybe = 0;
  bool small = false;  // one digit stands before `maybe`
};
DecimalEvidence decimal_evidence(std::string_view text);

}  // namespace scalemark::tables
