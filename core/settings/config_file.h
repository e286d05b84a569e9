// Config files: flat, strict JSON whose keys are option names. Reads text; knows which keys exist
// only through the option table; opens files only in read_text_file().
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/settings/option.h"
#include "core/settings/problem.h"

namespace scalemark::settings {

struct ConfigFile {
  std::string path;  // as given; named in origins
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

}  // namespace scalemark::settings
