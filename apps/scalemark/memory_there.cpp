#include "apps/scalemark/memory_there.h"

#include "core/monitoring/environment.h"

namespace scalemark::cli {

planning::AvailableMemory memory_there() {
  const monitoring::Host host = monitoring::survey_host();
  planning::AvailableMemory there{.host_bytes = host.memory_bytes,
                                  .cgroup_bytes = host.cgroup.memory_bytes};
  if (!host.gpus.empty()) there.gpu_bytes = host.gpus.front().memory_bytes;
  return there;
}

std::optional<std::uint64_t> memory_available(const ResolvedCommand& base) {
  planning::AvailableMemory there = memory_there();
  there.ranks = base.ranks.local_world_size;
  return planning::least_memory_available(base.settings.parallel, base.ranks.world_size, there);
}

}  // namespace scalemark::cli
