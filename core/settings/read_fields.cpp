#include "core/settings/read_fields.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/settings/option.h"
#include "core/settings/value.h"
#include "core/settings/variables.h"

namespace scalemark::settings {
namespace {

template <class T>
FieldValue need(std::optional<T> value, const Option& option, const std::string& text) {
  const bool stands_for_absent = std::ranges::count(option.words, text) > 0;  // "auto", "none"
  if (stands_for_absent) return {};
  if (!value) throw bug("unchecked value '" + text + "' of " + std::string(option.name));
  return *std::move(value);
}

FieldValue parse(const Option& option, const std::string& text) {
  switch (option.kind) {
    case Kind::kText:
    case Kind::kPath:
    case Kind::kChoice:
    case Kind::kChoices:
    case Kind::kStepsOrTime:
    case Kind::kMessageSize:
    case Kind::kVariable:
      return text;
    case Kind::kSwitch:
    case Kind::kFlag:
      return need(parse_switch(text), option, text);
    case Kind::kCount:
      return need(parse_count(text), option, text);
    case Kind::kNumber:
      return need(parse_number(text), option, text);
    case Kind::kSeconds:
      return need(parse_seconds(text), option, text);
    case Kind::kShare:
      return need(parse_share(text), option, text);
    case Kind::kBetas:
      return need(parse_betas(text), option, text);
    case Kind::kTimeouts:
      return need(parse_timeouts(text), option, text);
    case Kind::kMemoryLimit:
      return need(parse_memory_limits(text), option, text);
  }
  throw bug("a kind of option without a reader");
}

template <class Owner>
void read_row(const RawSettings& raw, const Option& option, const Field<Owner>& field,
              Owner& owner) {
  const auto found = raw.find(option.name);
  if (!field || found == raw.end()) return;
  try {
    field.set(owner, parse(option, found->second.text));
  } catch (const std::bad_variant_access&) {
    throw bug("the field of " + std::string(option.name) + " has another type");
  }
}

}  // namespace

void read_fields(const RawSettings& raw, Settings& settings) {
  for (const Option& row : all_rows()) read_row(raw, row, row.field, settings);
  for (const auto& [key, value] : raw) {
    if (!is_variable_key(key)) continue;
    settings.launch.environment[std::string(variable_in(key))] = value_of_variable(value.text);
  }
}

void read_fields(const RawSettings& raw, SweepSettings& sweep) {
  for (const Option& row : all_rows()) read_row(raw, row, row.sweep_field, sweep);
}

}  // namespace scalemark::settings
