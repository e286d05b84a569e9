#include "core/planning/memory_budget.h"

#include <algorithm>
#include <string>

#include "core/base/words.h"

namespace scalemark::planning {

std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<std::uint64_t> share_of_host(const AvailableMemory& there) {
  if (there.host_bytes == 0) return std::nullopt;
  const std::uint64_t host = std::min(there.host_bytes, there.cgroup_bytes.value_or(UINT64_MAX));
  return host / static_cast<std::uint64_t>(std::max(1, there.ranks));
}

std::optional<std::uint64_t> memory_limit(const settings::ParallelSettings& parallel, int rank,
                                          const AvailableMemory& there) {
  const auto own = parallel.memory_limit.bytes_of_rank.find(rank);
  if (own != parallel.memory_limit.bytes_of_rank.end()) {
    return static_cast<std::uint64_t>(own->second);
  }
  if (parallel.memory_limit.every_bytes)
    return static_cast<std::uint64_t>(*parallel.memory_limit.every_bytes);
  const auto share = share_of_host(there);
  if (parallel.device != settings::DeviceKind::kCpu || !share) return std::nullopt;
  return *share / 10 * 8;
}

std::optional<std::uint64_t> memory_available(const settings::ParallelSettings& parallel, int rank,
                                              const AvailableMemory& there) {
  const auto most =
      parallel.device == settings::DeviceKind::kCpu ? share_of_host(there) : there.gpu_bytes;
  return least(memory_limit(parallel, rank, there), most);
}

std::optional<std::uint64_t> least_memory_available(const settings::ParallelSettings& parallel,
                                                    int world_size, const AvailableMemory& there) {
  std::optional<std::uint64_t> all;
  for (int rank = 0; rank < world_size; ++rank) {
    all = least(all, memory_available(parallel, rank, there));
  }
  return all;
}

std::optional<settings::Problem> unknown_rank_in_memory_limit(const settings::Settings& settings,
                                                              int world_size) {
  const auto& limits = settings.parallel.memory_limit.bytes_of_rank;
  if (limits.empty() || limits.rbegin()->first < world_size) return std::nullopt;
  return settings::Problem{.option = "memory_limit",
                           .found = std::to_string(limits.rbegin()->first) + "=...",
                           .allowed = "the ranks are 0 to " + std::to_string(world_size - 1),
                           .origin = value_at(settings.origins, "memory_limit"),
                           .hint = "name ranks of this launch, or start more"};
}

}  // namespace scalemark::planning
