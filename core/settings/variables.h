// The environment variables of --env: their keys among raw values ("env.NAME"), how their lists are
// written, and which names are refused. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/settings/layers.h"

namespace scalemark::settings {

inline constexpr const char* kVariableOption = "env";

bool is_variable_key(std::string_view key);  // "env.NCCL_ALGO"
std::string_view variable_in(std::string_view key);
std::string variable_key(std::string_view variable);

// Raw texts are lists in which "\," is a comma of a value: one element of such a list as the value,
// and the reverse.
std::string value_of_variable(std::string_view element);
std::string element_of(std::string_view value);

// Adds one variable to `layers`, or the problem with its name. A name of old is noted.
void add_variable(std::string_view name, std::string_view text, const std::string& origin,
                  Layers& layers);

}  // namespace scalemark::settings
