// Turns argv into a command and its values as text. Only its .cpp uses CLI11; knows names from the
// option table, not what values mean.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/option.h"

namespace scalemark::cli {

struct Invocation {
  settings::Command command{};
  std::vector<std::string> positionals;
  std::vector<std::string> config_paths;
  // The words of options that take several: one entry for each time that such an option was given.
  std::vector<std::pair<std::string_view, std::vector<std::string>>> lists;
  settings::Sources sources;           // options and --set; sources.h adds files and environment
  std::vector<std::string> arguments;  // the user typed these words
  std::string command_line;            // the same quoted for a shell, as the report shows it
};

// kFirstQuestion: no word at all was typed.
enum class Action { kRun, kVersion, kHelp, kCommandHelp, kFirstQuestion };

struct CommandLine {
  Action action = Action::kRun;
  Invocation invocation;   // for kRun; for kCommandHelp the command only
  std::string topic = {};  // kCommandHelp shows help on it: see help.h
};

// Throws usage() (64), with the nearest known name, for unknown commands and options, a missing
// value, and an option given twice.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

// "scalemark train --batch-size 8", as a shell takes it.
std::string shell_command(const std::vector<std::string>& words);

}  // namespace scalemark::cli
