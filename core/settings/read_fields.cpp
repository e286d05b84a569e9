#include "core/settings/read_fields.h"

#include "core/base/error.h"
#include "core/settings/option.h"
#include "core/settings/value.h"
#include "core/settings/variables.h"

namespace scalemark::settings {
namespace {

template <class Owner>
void read_row(const RawSettings& raw, const Option& option, const Field<Owner>& field,
              Owner& owner) {
  const auto found = raw.find(option.name);
  if (!field || found == raw.end()) return;
  const std::string& text = found->second.text;
  const auto value = read(option, text);
  if (!value) throw bug("unchecked value '" + text + "' of " + std::string(option.name));
  try {
    field.set(owner, *value);
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
