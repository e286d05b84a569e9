// Environment variables of libraries that have been renamed: renamed_variables.inc lists them.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// A note for a person who has set `variable` by its former name; empty for any other name.
std::string note_on_variable(std::string_view variable);

}  // namespace scalemark
