// The one way from raw texts to typed values: a row reads the text of its option, alone or as a
// list, into settings or by itself, and says what is wrong with it. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"
#include "core/settings/value.h"

namespace scalemark::settings {

inline constexpr std::size_t kMostPoints = 10'000;  // a sweep has no more, repetitions not counted

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

// Values of the commands that train nothing: the same table, layers and refusals as for training,
// read one by one instead of into Settings.
class ToolValues {
 public:
  // Throws refusal() (78) when a value is not allowed; `problems` are those of the layers. All
  // problem lines go to `lines` first.
  ToolValues(const Layers& layers, Command command, std::vector<std::string>& lines);

  std::optional<std::string> text(std::string_view name) const;  // nullopt: none given
  std::optional<std::int64_t> count(std::string_view name) const {
    return value_in<std::int64_t>(raw_, name);
  }
  // Numbers, times in seconds, and shares: "2%" -> 0.02.
  std::optional<double> number(std::string_view name) const { return value_in<double>(raw_, name); }
  bool on(std::string_view name) const { return is_on(raw_, name); }
  bool given(std::string_view name) const;  // by a person, not by default
  // Reads an option that takes a list, `world_sizes`: "16,64" or "16..256x2". Empty: none given.
  std::vector<std::int64_t> counts(const std::string& name) const;
  // Reads the options that training has, too, into its settings.
  Settings settings() const;

 private:
  RawSettings raw_;
};

}  // namespace scalemark::settings
