#include "engine/process/telemetry.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/process_probes.h"

namespace scalemark::process {

std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context, bool leads_node) {
  std::vector<std::unique_ptr<monitoring::Probe>> probes;
  probes.push_back(monitoring::process_cpu_probe());
  probes.push_back(monitoring::wanted_cpus_probe(at::get_num_threads()));
  const auto add = [&](std::vector<std::unique_ptr<monitoring::Probe>> more) {
    std::ranges::move(more, std::back_inserter(probes));
  };
  if (leads_node) add(monitoring::host_probes());
  device::Device& device = context.device();
  if (device.torch_device().is_cuda()) {
    add(monitoring::gpu_probes(device.identity(), device.name(), context.ranks_on_gpu()));
  }
  return std::make_unique<monitoring::Sampler>(std::move(probes));
}

reporting::RankReadings readings(RankContext& context, const monitoring::Sampler& sampler) {
  return {context.host(), monitoring::machine_id(), sampler.summaries()};
}

}  // namespace scalemark::process
