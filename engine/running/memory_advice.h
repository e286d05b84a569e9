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

// What tensors of this rank may hold: its own --memory-limit, else that of all ranks, else on a CPU
// 80 % of its share of the host's or cgroup's memory. Absent: no limit (a GPU without the option).
// Throws configuration() (78) when a rank is named that this launch has not.
std::optional<std::uint64_t> memory_limit(const settings::Settings& settings, Session& session);

// Bytes that one rank may use: `limit`; the GPU's memory; on a CPU the rank's share of the host's
// or cgroup's memory, or what the address-space limit (ulimit -v) leaves to this process: the least
// of them. Absent when the system does not tell.
std::optional<std::uint64_t> available_memory(Session& session, std::optional<std::uint64_t> limit);

// "by the estimate --batch-size 96 fits into 3.2 GiB": the rest of an error's sentence. Absent
// without `available_bytes`.
std::optional<std::string> what_fits(const settings::Settings& settings,
                                     const catalogue::Workload& workload,
                                     const catalogue::ModelShape& shape,
                                     std::optional<std::uint64_t> available_bytes);

}  // namespace scalemark::running
