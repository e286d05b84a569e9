#include "engine/process/telemetry.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/monitoring/telemetry/gpu_probes.h"
#include "core/monitoring/telemetry/host_probes.h"
#include "core/monitoring/telemetry/process_probes.h"
#include "engine/distributed/wire.h"
#include "engine/process/source_wire.h"

namespace scalemark::reporting {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReadings, host, machine, sources)
}  // namespace scalemark::reporting

namespace scalemark::process {

std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context, bool leads_node) {
  std::vector<std::unique_ptr<monitoring::Probe>> probes;
  probes.push_back(monitoring::process_cpu_probe());
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

std::string to_wire(const reporting::RankReadings& readings) {
  return distributed::pack(nlohmann::json(readings));
}

reporting::RankReadings readings_from_wire(const std::string& bytes) {
  const auto value = distributed::unpack(bytes);
  if (!value) throw bug("a rank's readings that cannot be read");
  return value->get<reporting::RankReadings>();
}

}  // namespace scalemark::process
