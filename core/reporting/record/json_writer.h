// Lists of fields (field.h) as JSON: each field is put under its name. Private to report_json.cpp.
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
#include "core/reporting/record/field.h"

namespace scalemark::reporting {

using Json = nlohmann::ordered_json;

// Both writers of report.json share this: they omit absent values and write enumerations by name.
template <class Self>
class FieldWriter {
 public:
  template <class T>
  using Field = const T;
  static constexpr bool kReading = false;

  void record(const char*, const char*) {}
  bool measured(bool ok) { return ok; }

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
  template <ClosedWord E>
  void choice(const char* key, const E& value, const About& about) {
    self()(key, std::string(name_of(value)), about);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

class JsonWriter : public FieldWriter<JsonWriter> {
 public:
  using FieldWriter::operator();

  JsonWriter(Json& json, std::string path) : json_(json), path_(std::move(path)) {
    json_ = Json::object();
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
    Json inner;
    JsonWriter writer(inner, path_ + "." + key);
    body(writer);
    if (!inner.empty()) json_[key] = std::move(inner);
  }
  void embedded(const char* key, const std::string& text, const About&) {
    json_[key] = text.empty() ? Json::object() : Json::parse(text);
  }

 private:
  template <class T>
  static Json written(const T& value, const std::string& path) {
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) throw bug("a report cannot hold the number of " + path);
      return value;
    } else if constexpr (IsVector<T>::value) {
      Json array = Json::array();
      for (const auto& element : value) array.push_back(written(element, path + "[]"));
      return array;
    } else if constexpr (kIsMap<T>) {
      Json object = Json::object();
      for (const auto& [key, element] : value) object[key] = written(element, path + "." + key);
      return object;
    } else if constexpr (kIsRecord<T>) {
      Json object;
      JsonWriter writer(object, path);
      fields(writer, value);
      return object;
    } else {
      return value;
    }
  }

  Json& json_;
  std::string path_;
};

}  // namespace scalemark::reporting
