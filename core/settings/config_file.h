// Config files: flat, strict JSON whose keys are option names, read from a path or built into the
// program.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/words.h"
#include "core/settings/option.h"
#include "core/settings/problem.h"

namespace scalemark::settings {

// Only the option table says which keys exist, and only read_text_file() opens files.

struct ConfigFile {
  std::string path;  // the path that was typed; origins name it
  std::string text;
};

// Key and value texts in file order. true and false become "on" and "off", numbers keep the digits
// of the file.
struct ConfigValues {
  std::vector<std::pair<std::string, std::string>> values;
  std::string about;
  std::vector<Problem> problems;
};

// Strict: JSON without comments, one object, no value nested in it (a sweep: a list of plain
// values, which becomes "1,2,4"), no key twice, no unknown key, no option of another command, and a
// key `command` only if it names `command`. `about` is free text, `claims` a list of
// published tables and rows that it tests (scalemark reproduce). Lists every problem.
ConfigValues parse_config(const ConfigFile& file, Command command);

// Throws no_input (66) when it cannot be read.
std::string read_text_file(const std::string& path);

// The files of configs/ that are configurations of a command are inside the program: found by name,
// and parsed only when one is asked for.

// "rtx4090-mlp", "acceptance/node", ... in the order of their names, those of acceptance last.
std::span<const NamedText> builtin_configs();

// Rules of acceptance that `accept --rules` takes by name: "acceptance/rules/smoke", ...
std::span<const NamedText> acceptance_rules();

// The files of configs/ for schedulers and for monitoring are inside the program, too:
// "acceptance/slurm", "launching/flux", "monitoring/rules", ...
std::span<const NamedText> job_scripts();

// Reads what --config names: the file of that path, else the built-in configuration of that name,
// of which the part behind a slash is enough.
// Adds a note where both are there. Throws no_input (66), with the nearest names, where neither is.
ConfigFile read_config(const std::string& path_or_name, std::vector<std::string>& notes);

// The same of what --rules names, and of the built-in rules.
ConfigFile read_rules(const std::string& path_or_name, std::vector<std::string>& notes);

// The text of the built-in configuration, or of the rules, of that name. Throws no_input (66), with
// the nearest name, for another.
std::string_view builtin_config(const std::string& name);

// A configuration says this of itself.
struct ConfigFacts {
  std::string command, about;       // empty where it says neither
  std::vector<std::string> claims;  // published tables and rows that it tests
};
ConfigFacts facts_of(std::string_view text);

}  // namespace scalemark::settings
