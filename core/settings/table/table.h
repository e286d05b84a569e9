// The parts of the option table, one per owner of the settings and each in one group of --help;
// option.cpp joins them.
#pragma once

#include <vector>

#include "core/settings/option.h"

namespace scalemark::settings::table {

std::vector<Option> what_options();
std::vector<Option> size_options();
std::vector<Option> recipe_options();
std::vector<Option> parallel_options();
std::vector<Option> loading_options();
std::vector<Option> augmenting_options();
std::vector<Option> measuring_options();
std::vector<Option> sweep_options();
std::vector<Option> comm_options();
std::vector<Option> launch_options();
std::vector<Option> tool_options();
std::vector<Option> general_options();

// Only a recipe sets these: no command has an option for them.
std::vector<Option> recipe_only_rows();

inline constexpr Range kFromOne{.low = 1};
inline constexpr Range kFromZero{.low = 0};
inline constexpr Range kAboveZero{.low = 0, .low_excluded = true};
inline constexpr Range kShare{.low = 0, .high = 1, .high_excluded = true};  // [0, 1)

}  // namespace scalemark::settings::table
