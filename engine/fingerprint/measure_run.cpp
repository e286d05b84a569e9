#include "engine/fingerprint/measure_run.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/machine/process_reading.h"
#include "core/machine/survey.h"
#include "core/machine/telemetry/gpu_probes.h"
#include "core/machine/telemetry/host_probes.h"
#include "core/machine/telemetry/sampler.h"
#include "engine/device/cuda_plugin.h"
#include "engine/device/device.h"
#include "engine/fingerprint/machine.h"
#include "engine/process/failure_reporter.h"
#include "engine/process/run_request.h"

namespace scalemark::fingerprint {
namespace {

process::ProcessSettings process_settings(const MeasureRequest& request) {
  process::ProcessSettings settings;
  settings.command = "doctor";
  settings.device = request.device;
  settings.compute.threads = request.threads;
  settings.general.torch = request.torch;
  return settings;
}

std::unique_ptr<device::Device> open_device(const MeasureRequest& request) {
  if (request.device == settings::DeviceKind::kCpu) return device::make_cpu_device();
  return device::load_cuda_plugin(request.library_folder).make_device(/*local_rank=*/0);
}

FingerprintRecord without_peers(const device::Device& device, const monitoring::Host& host) {
  FingerprintRecord record;
  record.host = host.hostname;
  record.device = device.name();
  record.device_name = device_name(device, host);
  record.what = reporting::MachineRate::kAllReduce;
  record.unit = "B/s";
  record.reason =
      "doctor is one process and has no peer; scalemark sweep --thorough measures it between its "
      "ranks, at the size of the workload's gradients";
  return record;
}

// Reads the same sources as the ranks of a run, for the only process that there is.
std::vector<std::unique_ptr<monitoring::Probe>> own_probes(const device::Device& device,
                                                           const std::atomic<int>& threads) {
  auto probes = monitoring::process_probes(threads);
  if (device.torch_device().is_cuda()) {
    std::ranges::move(monitoring::gpu_probes(device.identity(), device.name(), /*own_processes=*/1),
                      std::back_inserter(probes));
  }
  return probes;
}

}  // namespace

MeasuredMachine measure(const MeasureRequest& request) noexcept try {
  process::set_up_process(process_settings(request));
  const auto device = open_device(request);
  const monitoring::Host host = monitoring::survey_host();
  MachineOptions options;
  options.threads = {request.threads};
  options.folder = request.folder;
  options.seconds = request.seconds;
  const std::atomic<int> threads(request.threads);
  monitoring::Sampler sampler(own_probes(*device, threads), monitoring::Sampler::kPeriod,
                              monitoring::host_probes());
  sampler.read_shared(true);
  sampler.begin();
  MeasuredMachine measured{
      .records = measure_machine(*device, host, options), .readings = {}, .error = {}};
  sampler.end();
  measured.readings = {.rank = 0,
                       .host = host.hostname,
                       .machine = monitoring::machine_id(),
                       .cpu_group = monitoring::cpu_group_id(),
                       .sources = sampler.summaries()};
  measured.records.push_back(without_peers(*device, host));
  return measured;
} catch (...) {
  return {.records = {},
          .readings = {},
          .error = process::record_of(std::current_exception(), nullptr)};
}

}  // namespace scalemark::fingerprint
