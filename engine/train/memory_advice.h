// A rank that ran out of memory could have trained the largest batch whose estimate fits. Estimates
// only; measures nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/memory.h"
#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/process/rank_context.h"

namespace scalemark::running {

// Tensors of this rank may hold so much: planning::memory_limit() on its machine.
std::optional<std::uint64_t> memory_limit(const settings::Settings& settings,
                                          process::RankContext& context);

// Bytes that this rank may use: planning::memory_available(), and on a CPU no more than the
// address-space limit (ulimit -v) leaves to this process. Absent when it is unknown.
std::optional<std::uint64_t> available_memory(const settings::Settings& settings,
                                              process::RankContext& context);

// "by the estimate --batch-size 96 fits into 3.2 GiB": the rest of an error's sentence. Absent
// without `available_bytes`.
std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape, int world_size,
                                     std::optional<std::uint64_t> available_bytes);

}  // namespace scalemark::running
