#include "core/settings/fused_layers.h"

#include "core/settings/checks.h"

namespace scalemark::settings {

bool has_fused_layers(const Settings& settings, const catalogue::Workload& workload) {
  const bool has_layout = !serves(workload, "memory_format") ||
                          settings.parallel.memory_format == MemoryFormat::kChannelsLast;
  return serves(workload, "fused_layers") && has_layout;
}

}  // namespace scalemark::settings
