// The name of the output folder. Pure: touches no file system.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/settings/machine.h"

namespace scalemark::settings {

// `pattern` with {host}, {job} and {date} filled in; absent when it holds another {word}, or a
// brace without its partner.
std::optional<std::string> fill_placeholders(std::string_view pattern, const Place& place);

}  // namespace scalemark::settings
