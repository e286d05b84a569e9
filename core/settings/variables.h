// The environment variables of --env: their keys among raw values ("env.NAME"), how their lists are
// written, and which names are refused. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/axes.h"
#include "core/settings/layers.h"

namespace scalemark::settings {

inline constexpr const char* kVariableOption = "env";

bool is_variable_key(std::string_view key);  // "env.NCCL_ALGO"
std::string_view variable_in(std::string_view key);
std::string variable_key(std::string_view variable);

// Raw texts are lists in which "\," is a comma of a value, and nothing between two commas is
// kUnset.
ValueList expand_variable(std::string_view text);
std::string value_of_variable(std::string_view element);  // of one element of such a list
std::string element_of(std::string_view value);           // the reverse

// Adds one variable to `layers`, or the problem with its name. A name of old is noted.
void add_variable(std::string_view name, std::string_view text, const std::string& origin,
                  Layers& layers);

// Describes what is wrong with more than one value where one is taken; absent: nothing.
std::optional<Problem> several_values(const std::string& key, const RawValue& value);

}  // namespace scalemark::settings
