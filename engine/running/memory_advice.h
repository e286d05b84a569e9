// What a rank that ran out of memory could have trained: the largest batch whose estimate fits.
// Estimates only; measures nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/catalogue/memory.h"
#include "core/catalogue/workload.h"
#include "core/settings/settings.h"
#include "engine/running/session.h"

namespace scalemark::running {

catalogue::MemoryQuestion memory_question(const settings::Settings& settings,
                                          const catalogue::ModelShape& shape);

// Bytes that one rank may use: the GPU's memory; on a CPU the rank's share of the host's or
// cgroup's memory, or what the address-space limit (ulimit -v) leaves to this process when that is
// less. Absent when the system does not tell.
std::optional<std::uint64_t> available_memory(Session& session);

// "by the estimate --batch-size 96 fits into 3.2 GiB": the rest of an error's sentence. Absent
// without `available_bytes`.
std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape,
                                     std::optional<std::uint64_t> available_bytes);

}  // namespace scalemark::running
