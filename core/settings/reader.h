// The one way from raw texts to typed values: a row reads the text of its option, alone or as a
// list, and says what is wrong with it. Pure. Knows neither where values come from nor which of
// them go together.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/value.h"

namespace scalemark::settings {

inline constexpr std::size_t kMostPoints = 10'000;  // of one sweep, repetitions not counted

struct Reading : Remarks {
  std::vector<FieldValue> values;  // in the order given, each once
  std::vector<std::string> texts;  // the same as text
};

// The value of `key`, which is the name of an option or of a variable (env.NAME).
Reading read_value(const std::string& key, const RawValue& value);

// The values of a list: "1,2,4", "32..256x2" (32, 64, 128, 256), "1..9+2" (1, 3, 5, 7, 9) and
// mixtures. Ranges are for numbers, run upwards and end at the last value that does not exceed the
// end; batch_size may also be "auto". A value given twice is noted.
Reading read_list(const std::string& key, const RawValue& value);

// A problem for each value in `raw` that its option does not allow.
std::vector<Problem> bad_values(const RawSettings& raw);

// Reads each option that has a value in `raw` and a member in `Owner` (Settings, SweepSettings or
// CommSettings). A member without a good value keeps what it is.
template <class Owner>
Remarks read_fields(const RawSettings& raw, Owner& owner);

// The value of one option, where `raw` has one of this type: absent for "auto", and for what is
// refused.
template <class T>
std::optional<T> value_in(const RawSettings& raw, std::string_view option) {
  const auto found = raw.find(option);
  if (found == raw.end()) return std::nullopt;
  const auto value = read(*find_option(option), found->second.text);
  const T* typed = value ? std::get_if<T>(&*value) : nullptr;
  return typed ? std::optional<T>(*typed) : std::nullopt;
}

inline bool is_on(const RawSettings& raw, std::string_view option) {
  return value_in<bool>(raw, option).value_or(false);
}

}  // namespace scalemark::settings
