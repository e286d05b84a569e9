// Linux's notation of sets of CPUs and memory nodes: "0-3,8,10-11". Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::placement {

// Ascending, each once. Absent when the text is no such list or names a number above 65,535; the
// empty text is the empty list.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

// The shortest notation of the numbers, in any order.
std::string cpu_list(std::vector<int> cpus);

}  // namespace scalemark::placement
