// --tune: which option it names, and the values that it tries when none are given. Pure.
#pragma once

#include <string>
#include <string_view>

#include "core/settings/option.h"

namespace scalemark::settings {

// The row of the option that --tune names, in any of its spellings. Throws usage() (64) for a name
// that is no option of a sweep, or none whose values are compared: one that takes no list, the
// workload (other work) and the world size (scaling has its own tables).
const Option& tuned_option(std::string_view name);

// Its row's `tune_values`; of a switch or a closed list of words the default first, then the
// others. Empty: there is no list that would fit every machine.
std::string default_tune_values(const Option& option);

}  // namespace scalemark::settings
