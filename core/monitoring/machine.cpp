#include "core/monitoring/machine.h"

#include "core/monitoring/environment.h"

namespace scalemark::monitoring {

settings::Machine machine_of(const Host& host) {
  settings::Machine machine;
  for (const auto& flag : host.cpu_flags) {
    machine.cpu_flags += (machine.cpu_flags.empty() ? "" : " ") + flag;
  }
  machine.cores = usable_cores(host);
  for (const int index : host.visible_gpus) {
    const Gpu& gpu = host.gpus.at(index);
    settings::Gpu& seen = machine.gpus.emplace_back();
    seen.name = gpu.name;
    if (gpu.compute_major && gpu.compute_minor) {
      seen.capability = settings::ComputeCapability{*gpu.compute_major, *gpu.compute_minor};
    }
  }
  return machine;
}

settings::Machine this_machine() { return machine_of(survey_host()); }

}  // namespace scalemark::monitoring
