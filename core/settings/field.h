// The field that an option is read into and printed from. A row of the option table names a member,
// kField<&ParallelSettings::overlap>, and the code that reads, prints or compares settings iterates
// over the rows. Knows neither texts nor JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/base/error.h"
#include "core/settings/compound_values.h"
#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {

// A field holds one of these, whatever its type; monostate: absent.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, double, std::string, Betas,
                                Timeouts, MemoryLimits, Variables>;

template <class Owner>  // Settings or SweepSettings
struct Field {
  FieldValue (*get)(const Owner&) = nullptr;
  void (*set)(Owner&, const FieldValue&) = nullptr;  // bug() for a value that the field cannot hold
  explicit operator bool() const { return get != nullptr; }
};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
FieldValue value_of(const T& field) {
  if constexpr (IsOptional<T>::value) {
    return field ? value_of(*field) : FieldValue();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return field.empty() ? FieldValue() : FieldValue(field);
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::int64_t>(field);
  } else if constexpr (ClosedWord<T>) {
    return std::string(name_of(field));
  } else {
    return field;
  }
}

template <class T>
void assign(T& field, const FieldValue& value) {
  const bool absent = std::holds_alternative<std::monostate>(value);
  if constexpr (IsOptional<T>::value) {
    field.reset();
    if (!absent) assign(field.emplace(), value);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, MemoryLimits> ||
                       std::is_same_v<T, Variables>) {
    field = absent ? T() : std::get<T>(value);
  } else if constexpr (std::integral<T> && !std::is_same_v<T, bool>) {
    const auto number = std::get<std::int64_t>(value);
    if (!std::in_range<T>(number)) throw bug("no field holds " + std::to_string(number));
    field = static_cast<T>(number);
  } else if constexpr (ClosedWord<T>) {
    const auto word = find_word<T>(std::get<std::string>(value));
    if (!word) throw bug("no word of the field is '" + std::get<std::string>(value) + "'");
    field = *word;
  } else {
    field = std::get<T>(value);
  }
}

// The part of the settings that a member belongs to.
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
  if constexpr (std::is_same_v<Part, SweepSettings>) return whole;
}

template <class Member>
struct OwnerOfMember;
template <class Part, class T>
struct OwnerOfMember<T Part::*> {
  using type = Part;
};

template <class Owner, auto Member>
constexpr Field<Owner> make_field() {
  using Part = typename OwnerOfMember<decltype(Member)>::type;
  return {
      [](const Owner& owner) { return value_of(part_of<Part>(owner).*Member); },
      [](Owner& owner, const FieldValue& value) { assign(part_of<Part>(owner).*Member, value); }};
}

template <auto Member>
inline constexpr Field<Settings> kField = make_field<Settings, Member>();
template <auto Member>
inline constexpr Field<SweepSettings> kSweepField = make_field<SweepSettings, Member>();

}  // namespace scalemark::settings
