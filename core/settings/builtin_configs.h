// The files of configs/ that are configurations of a command, inside the program: found by name
// and parsed only when one is asked for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/words.h"
#include "core/settings/config_file.h"

namespace scalemark::settings {

// "rtx4090-mlp", "acceptance/node", ... in the order of their names, those of acceptance last.
std::span<const NamedText> builtin_configs();

// Reads what --config names: the file of that path, else the built-in configuration of that name.
// Adds a note where both are there. Throws no_input (66), with the nearest names, where neither is.
ConfigFile read_config(const std::string& path_or_name, std::vector<std::string>& notes);

// The text of that name. Throws no_input (66), with the nearest name, for another.
std::string_view builtin_config(const std::string& name);

// A configuration says this of itself.
struct ConfigFacts {
  std::string command, about;       // empty where it says neither
  std::vector<std::string> claims;  // published tables and rows that it tests
};
ConfigFacts facts_of(std::string_view text);

}  // namespace scalemark::settings
