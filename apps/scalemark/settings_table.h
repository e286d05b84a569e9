// --dry-run prints this: the resolved settings with their origins. Texts only.
#pragma once

#include <string>

#include "core/settings/machine.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

std::string settings_table(const settings::Settings& settings, int world_size);

// {"settings": {...}, "origins": {...}}
std::string settings_document(const settings::Settings& settings);

}  // namespace scalemark::cli
