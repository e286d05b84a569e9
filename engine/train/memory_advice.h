// Which batch size would have fitted where a rank ran out of memory. It estimates and measures
// nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/memory.h"
#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/process/rank_context.h"

namespace scalemark::running {

// Returns the limit for this rank's tensors: planning::memory_limit() on its machine.
std::optional<std::uint64_t> memory_limit(const settings::Settings& settings,
                                          process::RankContext& context);

// Returns the bytes that this rank may use: planning::memory_available(), and on a CPU no more than
// the address-space limit (ulimit -v) leaves to this process. Absent when unknown.
std::optional<std::uint64_t> available_memory(const settings::Settings& settings,
                                              process::RankContext& context);

// Returns the rest of an error's sentence: "by the estimate --batch-size 96 fits into 3.2 GiB", or
// nothing without `available_bytes`.
std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape, int world_size,
                                     std::optional<std::uint64_t> available_bytes);

}  // namespace scalemark::running
