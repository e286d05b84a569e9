// How long this process has been there, as Linux counts it: since before its first instruction.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace scalemark::monitoring {

// Absent where /proc does not tell.
std::optional<std::chrono::duration<double>> process_age();

// Field 22 of a /proc/PID/stat text: when the process began, in clock ticks since boot. Pure. The
// program's name, which stands in parentheses before, may hold anything.
std::optional<std::uint64_t> start_ticks(std::string_view stat);

}  // namespace scalemark::monitoring
