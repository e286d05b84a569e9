// Tables of --dry-run: settings as a person writes them, and the plan of a sweep with them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/settings/option.h"

namespace scalemark::cli {

struct ResolvedSweep;

// A JSON value as people write it: without quotes, and switches as on and off.
std::string plain(const std::string& json);

// `values`: settings::flat_settings(). A setting without a value gets the word that stands for that
// ("auto"); values of single ranks or phases follow it: "auto,1=20971520".
std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option);
// The same of one variable of --env: `name` is its key.
std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option, const std::string& name);

// The names under which `option` may stand among settings: its own, or for --env those of its
// variables that are in `origins`.
std::vector<std::string> setting_names(const settings::Option& option,
                                       const std::map<std::string, std::string>& origins);

struct SettingRow {
  const settings::Option* option;  // null: the recipe sets it, and no option
  std::string name, value, origin;
};

// A line for each, under the titles of their groups, an empty line before each title; narrower at a
// narrow terminal.
std::string setting_lines(const std::vector<SettingRow>& rows);

// --dry-run of a sweep prints this: the plan in brief (plan_text.h), or with --details all of it
// and the settings with their origins.
std::string plan_table(const ResolvedSweep& resolved);

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string plan_document(const ResolvedSweep& resolved);

}  // namespace scalemark::cli
