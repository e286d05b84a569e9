// `sweep --dry-run` prints this: the plan and the settings with their origins. Texts only.
#pragma once

#include <string>

#include "apps/scalemark/sweep_command.h"

namespace scalemark::cli {

std::string plan_table(const ResolvedSweep& resolved);

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string plan_document(const ResolvedSweep& resolved);

}  // namespace scalemark::cli
