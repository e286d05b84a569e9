// --help, --version and the manual page print these texts; this file prints nothing itself.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/words.h"
#include "core/settings/option.h"

namespace scalemark::cli {

// The texts of --help around the list of options: help/COMMAND.txt, with "-" for blanks in its
// name. "usage:" is the first line, paragraphs follow, then "options:" (those that people type, by
// name, each with a shorter text where its own is long; absent where --help shows all) and
// "examples:".
std::span<const NamedText> help_pages();

std::string version_text();
std::string program_help();

// All commands and options as a page for man(1), in the language of man(7).
std::string man_page();

inline constexpr std::string_view kAllTopics = "all";

// `topic`: kAllTopics, a group of options ("launch") or an option ("bucket-cap-mb"); empty: the
// options that people type. Throws usage() (64) for another one.
std::string command_help(settings::Command command, std::string_view topic = {});

}  // namespace scalemark::cli
