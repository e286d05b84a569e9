#include "engine/process/telemetry.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/process_probes.h"
#include "engine/process/node_leader.h"

namespace scalemark::process {

std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context,
                                                    std::chrono::milliseconds period) {
  std::vector<std::unique_ptr<monitoring::Probe>> probes;
  probes.push_back(monitoring::process_cpu_probe());
  probes.push_back(monitoring::watching_cpu_probe());
  probes.push_back(monitoring::wanted_cpus_probe(context.compute_threads()));
  device::Device& device = context.device();
  if (device.torch_device().is_cuda()) {
    std::ranges::move(
        monitoring::gpu_probes(device.identity(), device.name(), context.ranks_on_gpu()),
        std::back_inserter(probes));
  }
  auto sampler =
      std::make_unique<monitoring::Sampler>(std::move(probes), period, monitoring::host_probes());
  sampler->read_shared(leads_node(context));
  return sampler;
}

monitoring::Sampler& fresh_telemetry(RankContext& context, bool leads_node) {
  context.set_compute_threads(at::get_num_threads());
  monitoring::Sampler& sampler = context.telemetry();
  sampler.end();  // a measurement that failed has left its stretch open
  sampler.clear();
  sampler.read_shared(leads_node);
  return sampler;
}

reporting::RankReadings readings(RankContext& context) {
  return {context.host(), monitoring::machine_id(), context.telemetry().summaries()};
}

}  // namespace scalemark::process
