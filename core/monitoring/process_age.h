// How long ago Linux created this process, which is before its first instruction.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace scalemark::monitoring {

// Absent where /proc does not say.
std::optional<std::chrono::duration<double>> process_age();

// Field 22 of a /proc/PID/stat text: when the process began, in clock ticks since boot. Pure. The
// program's name before it, in parentheses, may hold any characters.
std::optional<std::uint64_t> start_ticks(std::string_view stat);

}  // namespace scalemark::monitoring
