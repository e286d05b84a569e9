// How much memory this machine has, and one rank of a launch.
#pragma once

#include <cstdint>
#include <optional>

#include "apps/scalemark/rank_command.h"
#include "core/planning/estimates.h"

namespace scalemark::cli {

// The machine as a whole, with its first GPU.
planning::AvailableMemory memory_there();

// The least that one of the ranks can use, all on machines like this one. Absent: unknown.
std::optional<std::uint64_t> memory_available(const ResolvedCommand& base);

}  // namespace scalemark::cli
