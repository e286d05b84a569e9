// What `sweep --dry-run` prints: the plan and the settings with their origins. Texts only.
#pragma once

#include <string>

#include "apps/scalemark/settle_sweep.h"

namespace scalemark::cli {

std::string plan_table(const SettledSweep& settled);

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string plan_document(const SettledSweep& settled);

}  // namespace scalemark::cli
