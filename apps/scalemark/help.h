// --help and --version print these texts; this file prints nothing itself.
#pragma once

#include <string>

#include "core/settings/option.h"

namespace scalemark::cli {

std::string version_text();
std::string program_help();
std::string command_help(settings::Command command);

}  // namespace scalemark::cli
