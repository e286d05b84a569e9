// `comm --dry-run` prints this: the plan and the settings with their origins. Texts only.
#pragma once

#include <string>

#include "apps/scalemark/comm_command.h"

namespace scalemark::cli {

std::string collective_plan_table(const ResolvedComm& resolved);

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string collective_plan_document(const ResolvedComm& resolved);

}  // namespace scalemark::cli
