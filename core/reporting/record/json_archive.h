// One list of fields per record serves both directions: a JsonWriter puts each field, a JsonReader
// fetches it. Private to report_json.cpp and report_fields.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark::reporting {

using Json = nlohmann::ordered_json;

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

// What every writer of fields has in common: what is absent, and that a name stands for a value.
template <class Self>
class FieldWriter {
 public:
  template <class T>
  using Field = const T;
  static constexpr bool kReading = false;

  template <class T>
  void operator()(const char* key, const std::optional<T>& value) {
    if (value) self()(key, *value);
  }
  // Text of which "" means absent.
  void text(const char* key, const std::string& value) {
    if (!value.empty()) self()(key, value);
  }
  template <class Container>
  void list(const char* key, const Container& value) {  // absent when empty
    if (!value.empty()) self()(key, value);
  }
  // An enumeration, through its name.
  template <class E, class Name>
  void choice(const char* key, const E& value, Name name, std::initializer_list<E>) {
    self()(key, std::string(name(value)));
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
  void operator()(const char* key, const T& value) {
    json_[key] = written(value, path_ + "." + key);
  }
  // [low, high]; absent when either is.
  void pair(const char* key, const std::optional<double>& low, const std::optional<double>& high) {
    if (low && high) (*this)(key, std::vector<double>{*low, *high});
  }
  template <class Body>
  void object(const char* key, Body body) {
    Json inner;
    JsonWriter writer(inner, path_ + "." + key);
    body(writer);
    if (!inner.empty()) json_[key] = std::move(inner);
  }
  void embedded(const char* key, const std::string& text) {
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
    } else if constexpr (requires { typename T::mapped_type; }) {
      Json object = Json::object();
      for (const auto& [key, element] : value) object[key] = written(element, path + "." + key);
      return object;
    } else if constexpr (std::is_class_v<T> && !std::is_same_v<T, std::string>) {
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

class JsonReader {
 public:
  template <class T>
  using Field = T;
  static constexpr bool kReading = true;

  JsonReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json_.is_object()) throw wrong(path_, "an object", json_);
  }

  template <class T>
  void operator()(const char* key, T& value) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw bad_data(path_ + "." + key + " is missing");
    read(*found, value, path_ + "." + key);
  }
  template <class T>
  void operator()(const char* key, std::optional<T>& value) {
    if (json_.contains(key)) (*this)(key, value.emplace());
  }
  void text(const char* key, std::string& value) {
    if (json_.contains(key)) (*this)(key, value);
  }
  template <class Container>
  void list(const char* key, Container& value) {
    if (json_.contains(key)) (*this)(key, value);
  }
  void pair(const char* key, std::optional<double>& low, std::optional<double>& high) {
    std::vector<double> both;
    list(key, both);
    if (both.empty()) return;
    if (both.size() != 2) throw bad_data(path_ + "." + key + " is no pair", "[low, high]");
    low = both[0];
    high = both[1];
  }
  template <class Body>
  void object(const char* key, Body body) {
    static const Json kEmpty = Json::object();
    const auto found = json_.find(key);
    JsonReader reader(found == json_.end() ? kEmpty : *found, path_ + "." + key);
    body(reader);
  }
  template <class E, class Name>
  void choice(const char* key, E& value, Name name, std::initializer_list<E> all) {
    std::string found, allowed;
    (*this)(key, found);
    for (const E candidate : all) {
      if (name(candidate) == found) return void(value = candidate);
      allowed += (allowed.empty() ? "" : " | ") + std::string(name(candidate));
    }
    throw bad_data(path_ + "." + key + " is '" + found + "'", allowed);
  }
  void embedded(const char* key, std::string& text) {
    const auto found = json_.find(key);
    if (found == json_.end()) throw bad_data(path_ + "." + key + " is missing");
    if (!found->is_object()) throw wrong(path_ + "." + key, "an object", *found);
    text = found->dump();
  }

 private:
  static Error wrong(const std::string& path, const char* expected, const Json& found) {
    return bad_data(path + " is " + std::string(found.type_name()), expected);
  }

  // Whole numbers only, and only those that T holds: nothing is wrapped or rounded.
  template <class T>
  static void read_integer(const Json& json, T& value, const std::string& path) {
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
  static void read(const Json& json, T& value, const std::string& path) {
    if constexpr (std::is_same_v<T, bool>) {
      if (!json.is_boolean()) throw wrong(path, "true or false", json);
      value = json.get<bool>();
    } else if constexpr (std::is_integral_v<T>) {
      read_integer(json, value, path);
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
    } else if constexpr (requires { typename T::mapped_type; }) {
      if (!json.is_object()) throw wrong(path, "an object", json);
      for (const auto& [key, element] : json.items()) read(element, value[key], path + "." + key);
    } else {
      JsonReader reader(json, path);
      fields(reader, value);
    }
  }

  const Json& json_;
  std::string path_;
};

}  // namespace scalemark::reporting
