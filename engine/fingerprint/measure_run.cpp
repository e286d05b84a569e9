#include "engine/fingerprint/measure_run.h"

#include <exception>
#include <memory>

#include "core/monitoring/environment.h"
#include "engine/device/cpu_device.h"
#include "engine/device/cuda_part.h"
#include "engine/fingerprint/machine.h"
#include "engine/process/failure.h"
#include "engine/process/process_setup.h"

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
  return device::load_cuda_part(request.library_folder).make_device(/*local_rank=*/0);
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

}  // namespace

MeasuredMachine measure(const MeasureRequest& request) noexcept try {
  process::set_up_process(process_settings(request));
  const auto device = open_device(request);
  const monitoring::Host host = monitoring::survey_host();
  MachineOptions options;
  options.threads = {request.threads};
  options.folder = request.folder;
  options.seconds = request.seconds;
  MeasuredMachine measured{.records = measure_machine(*device, host, options), .error = {}};
  measured.records.push_back(without_peers(*device, host));
  return measured;
} catch (...) {
  return {.records = {}, .error = process::record_of(std::current_exception(), nullptr)};
}

}  // namespace scalemark::fingerprint
