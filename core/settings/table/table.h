// The parts of the option table, one per owner of the settings and each in one
// group of --help; option.cpp joins them. A row names the members that its
// option is read into and printed from, kField<&ParallelSettings::overlap>, and
// that is all there is to say of them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/settings/comm_settings.h"
#include "core/settings/option.h"
#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings::table {

std::vector<Option> what_options();
std::vector<Option> size_options();
std::vector<Option> recipe_options();
std::vector<Option> parallel_options();
std::vector<Option> loading_options();
std::vector<Option> augmenting_options();
std::vector<Option> measuring_options();
std::vector<Option> sweep_options();
std::vector<Option> comm_options();
std::vector<Option> launch_options();
std::vector<Option> tool_options();
std::vector<Option> general_options();

// Only a recipe sets these: no command has an option for them.
std::vector<Option> recipe_only_rows();

inline constexpr Range kFromOne{.low = 1};
inline constexpr Range kFromZero{.low = 0};
inline constexpr Range kAboveZero{.low = 0, .low_excluded = true};
inline constexpr Range kShare{.low = 0, .high = 1, .high_excluded = true};  // [0, 1)

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
FieldValue value_of(const T& field) {
  if constexpr (IsOptional<T>::value) {
    return field ? value_of(*field) : FieldValue();
  } else if constexpr (IsList<T>::value) {
    std::vector<FieldValue> list;
    for (const typename T::value_type& element : field) list.push_back(value_of(element));
    return list.empty() ? FieldValue() : FieldValue(list);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return field.empty() ? FieldValue() : FieldValue(field);
  } else if constexpr (std::is_same_v<T, collectives::MessageSize>) {
    return collectives::to_text(field);
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::int64_t>(field);
  } else if constexpr (ClosedWord<T>) {
    return std::string(name_of(field));
  } else {
    return field;
  }
}

template <class T>
T need(std::optional<T> found, const std::string& text) {
  if (!found) throw bug("no field holds '" + text + "'");
  return *std::move(found);
}

template <class T>
void assign(T& field, const FieldValue& value) {
  const bool absent = std::holds_alternative<std::monostate>(value);
  if constexpr (IsOptional<T>::value) {
    field.reset();
    if (!absent) assign(field.emplace(), value);
  } else if constexpr (IsList<T>::value) {
    if (absent) return;
    typename T::value_type element{};
    assign(element, value);
    if (std::ranges::find(field, element) == field.end()) field.push_back(element);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, MemoryLimits>) {
    field = absent ? T() : std::get<T>(value);
  } else if constexpr (std::is_same_v<T, Variables>) {
    for (const auto& [name, text] : std::get<T>(value)) field[name] = text;
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    const auto number = std::get<std::int64_t>(value);
    if (!std::in_range<T>(number)) throw bug("no field holds " + std::to_string(number));
    field = static_cast<T>(number);
  } else if constexpr (ClosedWord<T>) {
    const auto& word = std::get<std::string>(value);
    field = need(find_word<T>(word), word);
  } else if constexpr (std::is_same_v<T, collectives::MessageSize>) {
    const auto& size = std::get<std::string>(value);
    field = need(collectives::parse_message_size(size), size);
  } else {
    field = std::get<T>(value);
  }
}

// The type of the settings that contain a part of them, and below a function that finds the part.
template <class Part>
using WholeOf =
    std::conditional_t<std::is_same_v<Part, SweepSettings> || std::is_same_v<Part, CommSettings>,
                       Part, Settings>;

template <class Part, class Whole>
auto& part_of(Whole& whole) {
  if constexpr (std::is_same_v<Part, TaskSettings>) return whole.task;
  if constexpr (std::is_same_v<Part, SizeSettings>) return whole.size;
  if constexpr (std::is_same_v<Part, RecipeSettings>) return whole.recipe;
  if constexpr (std::is_same_v<Part, ParallelSettings>) return whole.parallel;
  if constexpr (std::is_same_v<Part, LoadingSettings>) return whole.loading;
  if constexpr (std::is_same_v<Part, MeasuringSettings>) return whole.measuring;
  if constexpr (std::is_same_v<Part, CheckpointSettings>) return whole.checkpoints;
  if constexpr (std::is_same_v<Part, LaunchSettings>) return whole.launch;
  if constexpr (std::is_same_v<Part, GeneralSettings>) return whole.general;
  if constexpr (std::is_same_v<Part, std::remove_const_t<Whole>>) return whole;
}

template <auto Member, class Part, class T>
constexpr void bind(Fields& fields, T Part::*) {
  using Whole = WholeOf<Part>;
  std::get<Field<Whole>>(fields) = {
      [](const Whole& whole) { return value_of(part_of<Part>(whole).*Member); },
      [](Whole& whole, const FieldValue& value) { assign(part_of<Part>(whole).*Member, value); },
      IsList<T>::value};
}

template <auto... Members>
constexpr Fields fields_of() {
  Fields fields;
  (bind<Members>(fields, Members), ...);
  return fields;
}

template <auto... Members>
inline constexpr Fields kField = fields_of<Members...>();

}  // namespace scalemark::settings::table
