// How much memory one rank may use, from the options and its machine: computed alike for the
// printed plan and for the rank that obeys it. Pure; machines arrive as numbers.
#pragma once

#include <cstdint>
#include <optional>

#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::planning {

// So much is known of the machine that a rank runs on.
struct AvailableMemory {
  std::uint64_t host_bytes = 0;  // 0: unknown
  std::optional<std::uint64_t> cgroup_bytes;
  std::optional<std::uint64_t> gpu_bytes;  // of the rank's own GPU
  int ranks = 1;                           // that share the host
};

// The rank's part of the host's memory, or of the cgroup's where that is less. Absent: unknown.
std::optional<std::uint64_t> share_of_host(const AvailableMemory& there);

// Tensors of `rank` may hold so many bytes: its own --memory-limit, else that of all ranks, else on
// a CPU 80 % of its share of the host. Absent: no limit.
std::optional<std::uint64_t> memory_limit(const settings::ParallelSettings& parallel, int rank,
                                          const AvailableMemory& there);

// Bytes that `rank` can use: its limit, or less where its GPU, or on a CPU its share of the host,
// has less.
std::optional<std::uint64_t> memory_available(const settings::ParallelSettings& parallel, int rank,
                                              const AvailableMemory& there);

// The least of memory_available() over ranks 0 .. world_size - 1, all on equal machines.
std::optional<std::uint64_t> least_memory_available(const settings::ParallelSettings& parallel,
                                                    int world_size, const AvailableMemory& there);

// The problem of a --memory-limit for a rank that a launch of `world_size` ranks does not have.
std::optional<settings::Problem> unknown_rank_in_memory_limit(const settings::Settings& settings,
                                                              int world_size);

// The smaller of two amounts that may be unknown.
std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b);

}  // namespace scalemark::planning
