// Writes text as XML, HTML and CSV hold it, and the tables of a report as CSV.
#pragma once

#include <concepts>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/field.h"
#include "report/record/records.h"
#include "report/record/report.h"

namespace scalemark::reporting {

// Escapes text and attributes for XML 1.0. Characters that XML cannot hold become U+FFFD.
std::string xml_escaped(std::string_view text);

// Escapes text and attributes for HTML.
std::string html_escaped(std::string_view text);

struct CsvCell {
  std::string column, text;  // text: empty where the value is unset
};

// Writes a line of RFC 4180: the names of the columns, or their texts.
std::string csv_line(const std::vector<CsvCell>& row, std::string CsvCell::*part);

// The name of a field within an object follows the object's: step_s and mean give step_mean_s.
inline std::string csv_column(const std::string& object, const std::string& field) {
  if (object.empty()) return field;
  const bool seconds = object.ends_with("_s");
  return object.substr(0, object.size() - (seconds ? 2 : 0)) + "_" + field + (seconds ? "_s" : "");
}

// A record as columns of CSV: every number, word and flag of its list of fields, without lists and
// maps. See core/base/field.h.
class CsvRow {
 public:
  template <class T>
  using Field = const T;

  explicit CsvRow(std::vector<CsvCell>& cells) : cells_(cells) {}

  void record(const char*, const char*) {}
  bool measured(const auto& status, auto ok) {
    blank_ = status != ok;  // the columns are the same for every point
    return true;
  }

  template <class T>
  void operator()(const char* key, const T& value, const About& about) {
    if constexpr (std::is_same_v<T, bool>) {
      add(key, value ? "true" : "false", about);
    } else if constexpr (std::is_floating_point_v<T>) {
      add(key, exact(value), about);
    } else if constexpr (std::is_integral_v<T>) {
      add(key, std::to_string(value), about);
    } else if constexpr (std::is_same_v<T, std::string>) {
      add(key, value, about);
    } else if constexpr (kIsRecord<T>) {
      object(
          key, [&](CsvRow& inner) { fields(inner, value); }, about);
    }
  }
  template <class T>
  void operator()(const char* key, const std::optional<T>& value, const About& about) {
    const bool outer = std::exchange(blank_, blank_ || !value);
    (*this)(key, value ? *value : T{}, about);
    blank_ = outer;
  }
  void text(const char* key, const std::string& value, const About& about) {
    add(key, value, about);
  }
  void time(const char* key, const std::string& value, const About& about) {
    add(key, value, about);
  }
  template <class Container>
  void list(const char*, const Container&, const About&) {}
  template <ClosedWord E>
  void choice(const char* key, const E& value, const About& about) {
    add(key, std::string(name_of(value)), about);
  }
  void pair(const char* key, const std::optional<double>& low, const std::optional<double>& high,
            const About& about) {
    object(
        key,
        [&](CsvRow& inner) {
          inner("low", low, about);
          inner("high", high, about);
        },
        about);
  }
  void pair(const char* key, const auto& bounds, const About& about) {
    pair(key, bounds.low, bounds.high, about);
  }
  template <class T, class Body>
  void part(const T&, Body body) {
    body(*this);
  }
  template <class Body>
  void object(const char* key, Body body, const About& about) {
    CsvRow inner(cells_);
    inner.object_ = about.column ? about.column : csv_column(object_, key);
    inner.blank_ = blank_;
    body(inner);
  }

 private:
  void add(const char* key, std::string text, const About& about) {
    const std::string column = about.column ? about.column : csv_column(object_, key);
    if (!column.empty()) cells_.push_back({column, blank_ ? std::string() : std::move(text)});
  }

  std::vector<CsvCell>& cells_;
  std::string object_;
  bool blank_ = false;
};

// Adds the cells of a record's fields.
template <class Record>
std::vector<CsvCell> with_fields(std::vector<CsvCell> cells, const Record& record) {
  CsvRow row(cells);
  fields(row, record);
  return cells;
}

template <class Record>
std::vector<CsvCell> csv_row(const Report& report, const Record& record) {
  return with_fields({{"run_id", report.run_id}}, record);
}

// Writes a head line, and one line for each of the records.
template <class Record>
std::string csv_table(std::span<const Report> reports, std::vector<Record> Report::*rows,
                      std::vector<CsvCell> (*row)(const Report&, const Record&) = csv_row) {
  std::string text = csv_line(row(Report(), Record()), &CsvCell::column);
  for (const Report& report : reports) {
    for (const Record& record : report.*rows) text += csv_line(row(report, record), &CsvCell::text);
  }
  return text;
}

}  // namespace scalemark::reporting
