// The text of configs/acceptance/rules/standard.json, which is built into the program. Private to
// this folder.
#pragma once

namespace scalemark::acceptance {

extern const char* const kStandardRules;

}  // namespace scalemark::acceptance
