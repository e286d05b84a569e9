// Hints for a user who gives an option that a command does not have. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/settings/option.h"

namespace scalemark::settings {

// Names what replaces an option that an earlier version had under this name ('-' and '_' alike);
// absent for any other name.
std::optional<std::string> replacement_hint(std::string_view name, Command command);

// The replacement of a former option, else "did you mean 'x'?" over `command`'s options, else
// nothing. For keys of files and variables: names with underscores.
std::string unknown_option_hint(std::string_view name, Command command);

}  // namespace scalemark::settings
