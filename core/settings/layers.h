// From the sources of values to one raw value per option, or per variable of --env, with its
// origin. Raw values are text, which resolve.h interprets, so that a sweep can expand one raw layer
// into many settings. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/settings/config_file.h"
#include "core/settings/option.h"
#include "core/settings/problem.h"

namespace scalemark::settings {

struct RawValue {
  std::string text;
  std::string origin;  // "config FILE" | "environment" | "option" | "set"; later those of
                       // is_unasked(), "quick", "scale_down"
};

using RawSettings = std::map<std::string, RawValue, std::less<>>;  // by option name

// Everything that a person gave, weakest first within each list.
struct Sources {
  std::vector<ConfigFile> config_files;
  std::map<std::string, std::string> environment;            // all SCALEMARK_* variables
  std::vector<std::pair<std::string, std::string>> options;  // name, value text
  std::vector<std::string> variables;                        // "NAME=LIST", of --env
  std::vector<std::string> set;                              // "key=value"
};

struct Layers {
  RawSettings raw;
  std::vector<Problem> problems;
  std::vector<std::string> notes;  // for stderr: what was found and does not apply
  std::string about;               // the last config file that has an "about" gives it
};

// config files < environment < options < --set. Unknown names are problems with a near match; the
// values themselves are not checked.
Layers merge_layers(const Sources& sources, Command command);

// The problem with the raw value of `option`, or with its absence.
Problem problem_of(const RawSettings& raw, const std::string& option, std::string allowed,
                   std::string hint = {});

// Whether nobody asked for a value of this origin: no person, no file and no preset.
bool is_unasked(std::string_view origin);

// Whether an option's value comes from a person: a preset chose none of them.
bool given_by_a_person(const RawSettings& raw, std::string_view option);

// SCALEMARK_* variables that are no options: internal ones and those of the build and its tests.
bool is_internal_variable(std::string_view name);

// Variables of --env have keys of their own among raw values ("env.NAME"); some names are refused.

inline constexpr const char* kVariableOption = "env";

bool is_variable_key(std::string_view key);  // "env.NCCL_ALGO"
std::string_view variable_in(std::string_view key);
std::string variable_key(std::string_view variable);

// Raw texts are lists in which "\," is a comma of a value. These turn one element of such a list
// into the value, and back.
std::string value_of_variable(std::string_view element);
std::string element_of(std::string_view value);

// Adds one variable to `layers`, or the problem with its name. A former name is noted.
void add_variable(std::string_view name, std::string_view text, const std::string& origin,
                  Layers& layers);

// Options that were not given get values from the workload's recipe and the table's defaults.

// The recipe and the shape of `workload` under the names of options, origin "recipe".
RawSettings recipe_values(const catalogue::Workload& workload);

// The table's own defaults for the command, origin "default"; options without one are left out.
RawSettings default_values(Command command);

}  // namespace scalemark::settings
