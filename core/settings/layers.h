// From the sources of values to one raw value per option, with its origin. Raw values are text,
// which resolve.h interprets, so that a sweep can expand one raw layer into many settings.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings/config_file.h"
#include "core/settings/option.h"
#include "core/settings/problem.h"

namespace scalemark::settings {

struct RawValue {
  std::string text;
  std::string origin;  // "config FILE" | "environment" | "option" | "set"; later "default",
                       // "recipe", "scale_down"
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
  std::string about;               // of the last config file that says what it is
};

// config files < environment < options < --set. Unknown names are problems with a near match; the
// values themselves are not looked at.
Layers merge_layers(const Sources& sources, Command command);

// The problem with the raw value of `option`; without one, with its absence.
Problem problem_of(const RawSettings& raw, const std::string& option, std::string allowed,
                   std::string hint = {});

// Whether an option's value comes from a person: not from a default or a recipe.
bool given_by_a_person(const RawSettings& raw, std::string_view option);

// SCALEMARK_* variables that are no options: internal ones and those of the build and its tests.
bool is_internal_variable(std::string_view name);

}  // namespace scalemark::settings
