// One setting's value as a person writes it, for the tables of --dry-run. Pure.
#pragma once

#include <map>
#include <string>

#include "core/settings/option.h"

namespace scalemark::cli {

// JSON's quotes are noise here, and switches are on and off.
std::string plain(const std::string& json);

// `values`: settings::flat_settings(). Without a value the word that stands for that ("auto");
// values of single ranks or phases follow it: "auto,1=20971520".
std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option);

}  // namespace scalemark::cli
