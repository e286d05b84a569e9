// The keys that a record has in JSON, by its list of fields (field.h): what else stands in a
// document that a person wrote is a mistake.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/field.h"

namespace scalemark {

class RecordKeys {
 public:
  template <class T>
  using Field = T;

  void record(const char*, const char*) {}
  void constant(const char* key, const char*, const About&) { names_.emplace_back(key); }
  void operator()(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void text(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void time(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void choice(const char* key, const auto&, const About&) { names_.emplace_back(key); }
  void list(const char* key, const auto&, const About&) { names_.emplace_back(key); }

  // The keys of T, in the order of its list.
  template <class T>
  static std::vector<std::string_view> of() {
    T record{};
    RecordKeys keys;
    fields(keys, record);
    return keys.names_;
  }

 private:
  std::vector<std::string_view> names_;
};

}  // namespace scalemark
