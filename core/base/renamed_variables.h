// Environment variables of libraries that have another name now: renamed_variables.inc lists them.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// Says in words what to know about `variable` when it is set; empty for a name that is not of old.
std::string note_on_variable(std::string_view variable);

}  // namespace scalemark
