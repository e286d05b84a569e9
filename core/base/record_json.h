// JSON as lists of fields (field.h), in both directions: each field stands under its name. For .cpp
// files only: it brings nlohmann/json.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/text.h"

namespace scalemark {

using FieldJson = nlohmann::ordered_json;

// Writes `json` on one line, or indented by so many blanks. Bytes that are no UTF-8 become U+FFFD.
inline std::string dumped(const FieldJson& json, int indent = -1) {
  return json.dump(indent, ' ', false, FieldJson::error_handler_t::replace);
}

class JsonReader {
 public:
  template <class T>
  using Field = T;

  JsonReader(const FieldJson& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json_.is_object()) throw wrong(path_, "an object", json_);
  }

  void record(const char*, const char*) {}
  bool measured(const auto& status, auto ok) { return status == ok; }
  // The only constant of a record is its "schema". Whoever opens a text compares it before a reader
  // is made: parse_status(), the readers of reports, parse_baseline().
  void constant(const char*, const char*, const About&) {}

  template <class T>
  void operator()(const char* key, T& value, const About&) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw bad_data(path_ + "." + key + " is missing");
    read(*found, value, path_ + "." + key);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value, const About& about) {
    if (json_.contains(key)) (*this)(key, value.emplace(), about);
  }
  void text(const char* key, std::string& value, const About& about) {
    if (json_.contains(key)) (*this)(key, value, about);
  }
  void time(const char* key, std::string& value, const About& about) { (*this)(key, value, about); }
  void time_if_any(const char* key, std::string& value, const About& about) {
    text(key, value, about);
  }
  void word(const char* key, std::string& value, std::initializer_list<const char*>,
            const About& about) {
    (*this)(key, value, about);
  }
  template <class Container>
  void list(const char* key, Container& value, const About& about) {
    if (json_.contains(key)) (*this)(key, value, about);
  }
  void pair(const char* key, std::optional<double>& low, std::optional<double>& high,
            const About& about) {
    std::vector<double> both;
    list(key, both, about);
    if (both.empty()) return;
    if (both.size() != 2) throw bad_data(path_ + "." + key + " is no pair", "[low, high]");
    low = both[0];
    high = both[1];
  }
  void pair(const char* key, auto& bounds, const About& about) {
    pair(key, bounds.low, bounds.high, about);
  }
  template <class T, class Body>
  void part(T&, Body body) {
    body(*this);
  }
  template <class Body>
  void object(const char* key, Body body, const About&) {
    static const FieldJson kEmpty = FieldJson::object();
    const auto found = json_.find(key);
    JsonReader reader(found == json_.end() ? kEmpty : *found, path_ + "." + key);
    body(reader);
  }
  template <ClosedWord E>
  void choice(const char* key, E& value, const About& about) {
    std::string found;
    (*this)(key, found, about);
    if (const auto known = find_word<E>(found)) return void(value = *known);
    throw bad_data(path_ + "." + key + " is '" + found + "'", joined(names_of<E>(), " | "));
  }
  void embedded(const char* key, std::string& text, const About&) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw bad_data(path_ + "." + key + " is missing");
    if (!found->is_object()) throw wrong(path_ + "." + key, "an object", *found);
    text = found->dump();
  }

 private:
  static Error wrong(const std::string& path, const char* expected, const FieldJson& found) {
    return bad_data(path + " is " + std::string(found.type_name()), expected);
  }

  // Whole numbers only, and only those that T holds: nothing is wrapped or rounded.
  template <class T>
  static void read_integer(const FieldJson& json, T& value, const std::string& path) {
    bool fits = false;
    if (json.is_number_unsigned()) {
      fits = std::in_range<T>(json.get<std::uint64_t>());
    } else if (json.is_number_integer()) {
      fits = std::in_range<T>(json.get<std::int64_t>());
    }
    if (!fits) {
      const std::string found = json.is_number() ? json.dump() : json.type_name();
      throw bad_data(path + " is " + found, "a whole number that fits");
    }
    value = json.get<T>();
  }

  template <class T>
  static void read(const FieldJson& json, T& value, const std::string& path) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) throw wrong(path, "true or false", json);
      value = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(json, value, path);
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(!ClosedWord<T>, "choice() reads its word");
      std::underlying_type_t<T> number{};
      read_integer(json, number, path);
      value = static_cast<T>(number);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!json.is_number()) throw wrong(path, "a number", json);
      value = json.get<T>();
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!json.is_string()) throw wrong(path, "text", json);
      value = json.get<std::string>();
    } else if constexpr (IsVector<T>::value) {
      if (!json.is_array()) throw wrong(path, "a list", json);
      value.clear();
      for (const auto& element : json) read(element, value.emplace_back(), path + "[]");
    } else if constexpr (kIsMap<T>) {
      if (!json.is_object()) throw wrong(path, "an object", json);
      for (const auto& [key, element] : json.items()) read(element, value[key], path + "." + key);
    } else {
      JsonReader reader(json, path);
      fields(reader, value);
    }
  }

  const FieldJson& json_;
  std::string path_;
};

// Throws bad_data() where a field is missing or of the wrong type. `name` stands for the record in
// messages.
template <class T>
T record_in(const FieldJson& json, const char* name) {
  T record{};
  JsonReader reader(json, name);
  fields(reader, record);
  return record;
}

// Both writers of report.json share this: they omit absent values and write words.
template <class Self>
class FieldWriter {
 public:
  template <class T>
  using Field = const T;

  void record(const char*, const char*) {}
  bool measured(const auto& status, auto ok) { return status == ok; }

  template <class T>
  void operator()(const char* key, const std::optional<T>& value, const About& about) {
    if (value) self()(key, *value, about);
  }
  void text(const char* key, const std::string& value, const About& about) {
    if (!value.empty()) self()(key, value, about);
  }
  void time(const char* key, const std::string& value, const About& about) {
    self()(key, value, about);
  }
  void time_if_any(const char* key, const std::string& value, const About& about) {
    text(key, value, about);
  }
  void constant(const char* key, const char* value, const About& about) {
    self()(key, std::string(value), about);
  }
  void word(const char* key, const std::string& value, std::initializer_list<const char*>,
            const About& about) {
    self()(key, value, about);
  }
  template <class Container>
  void list(const char* key, const Container& value, const About& about) {
    if (!value.empty()) self()(key, value, about);
  }
  void pair(const char* key, const auto& bounds, const About& about) {
    self().pair(key, bounds.low, bounds.high, about);
  }
  template <class T, class Body>
  void part(const T&, Body body) {
    body(self());
  }
  template <ClosedWord E>
  void choice(const char* key, const E& value, const About& about) {
    self()(key, std::string(name_of(value)), about);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

template <class T>
FieldJson as_json(const T& record, const char* name);

class JsonWriter : public FieldWriter<JsonWriter> {
 public:
  using FieldWriter::operator();
  using FieldWriter::pair;

  JsonWriter(FieldJson& json, std::string path) : json_(json), path_(std::move(path)) {
    json_ = FieldJson::object();
  }

  template <class T>
  void operator()(const char* key, const T& value, const About&) {
    json_[key] = written(value, path_ + "." + key);
  }
  void pair(const char* key, const std::optional<double>& low, const std::optional<double>& high,
            const About& about) {
    if (low && high) (*this)(key, std::vector<double>{*low, *high}, about);
  }
  template <class Body>
  void object(const char* key, Body body, const About&) {
    FieldJson inner;
    JsonWriter writer(inner, path_ + "." + key);
    body(writer);
    if (!inner.empty()) json_[key] = std::move(inner);
  }
  void embedded(const char* key, const std::string& text, const About&) {
    json_[key] = text.empty() ? FieldJson::object() : FieldJson::parse(text);
  }

 private:
  template <class T>
  static FieldJson written(const T& value, const std::string& path) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) throw bug("a report cannot hold the number of " + path);
      return value;
    } else if constexpr (IsVector<T>::value) {
      FieldJson array = FieldJson::array();
      for (const auto& element : value) array.push_back(written(element, path + "[]"));
      return array;
    } else if constexpr (kIsMap<T>) {
      FieldJson object = FieldJson::object();
      for (const auto& [key, element] : value) object[key] = written(element, path + "." + key);
      return object;
    } else if constexpr (std::is_enum_v<T>) {
      static_assert(!ClosedWord<T>, "choice() writes its word");
      return static_cast<std::underlying_type_t<T>>(value);
    } else if constexpr (kIsRecord<T>) {
      return as_json(value, path.c_str());
    } else {
      return value;
    }
  }

  FieldJson& json_;
  std::string path_;
};

// `name` stands for the record in messages.
template <class T>
FieldJson as_json(const T& record, const char* name) {
  FieldJson json;
  JsonWriter writer(json, name);
  fields(writer, all_members_of(record));
  return json;
}

}  // namespace scalemark
