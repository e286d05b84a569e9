// Lists of fields (field.h) as JSON: each field is put under its name. For .cpp files only: it
// brings nlohmann/json.
#pragma once

#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/field.h"
#include "core/base/members.h"

namespace scalemark {

using FieldJson = nlohmann::ordered_json;

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
