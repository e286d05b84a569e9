#include "engine/fingerprint/machine.h"

#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/gpus.h"
#include "core/settings/machine.h"
#include "engine/device/device.h"
#include "engine/fingerprint/compute.h"
#include "engine/fingerprint/disk_read.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::fingerprint {
namespace {

using reporting::MachineRate;
using Measure = std::function<FingerprintRecord()>;

bool is_gpu(const device::Device& device) { return device.torch_device().is_cuda(); }

class Fingerprint {
 public:
  Fingerprint(device::Device& device, const monitoring::Host& host, const MachineOptions& options)
      : device_(device), host_(host), options_(options) {
    if (options.threads.empty()) throw bug("a fingerprint with no number of threads");
  }

  std::vector<FingerprintRecord> of_machine() && {
    measure_products_by_threads();
    measure_memory();
    if (is_gpu(device_)) copy_on(*device::make_cpu_device());
    measure_files();
    at::set_num_threads(options_.threads.back());
    return std::move(records_);
  }
  std::vector<FingerprintRecord> of_device() && {
    measure_products_by_threads();
    measure_memory();
    at::set_num_threads(options_.threads.back());
    return std::move(records_);
  }
  // The fastest precision is the last of precisions_of().
  std::vector<FingerprintRecord> of_held() && {
    at::set_num_threads(options_.threads.back());
    const settings::Precision precision = precisions_of(device_, host_).back();
    FingerprintRecord blank = of(device_, MachineRate::kSustainedProduct, "FLOP/s");
    blank.precision = reporting::number_format(name_of(precision));
    add(blank, [&] {
      return sustained_product(device_, precision, options_.seconds, options_.continues);
    });
    return std::move(records_);
  }

 private:
  void measure_products_by_threads() {
    for (const int threads : options_.threads) {
      at::set_num_threads(threads);
      measure_matrix_products();
    }
    at::set_num_threads(*std::ranges::max_element(options_.threads));
  }

  void measure_matrix_products() {
    for (const settings::Precision precision : precisions_of(device_, host_)) {
      FingerprintRecord blank = of(device_, MachineRate::kMatrixProduct, "FLOP/s");
      blank.precision = reporting::number_format(name_of(precision));
      add(blank, [&] { return matrix_product(device_, precision, options_.seconds); });
    }
  }

  void copy_on(device::Device& device) {
    add(of(device, MachineRate::kMemoryCopy, "B/s"),
        [&] { return memory_copy(device, copied_bytes(host_), options_.seconds); });
    device.release_cached_memory();
  }

  void measure_memory() {
    copy_on(device_);
    if (!is_gpu(device_)) return;
    for (const MachineRate what : {MachineRate::kHostToDevice, MachineRate::kDeviceToHost}) {
      add(of(device_, what, "B/s"),
          [&] { return host_copy(device_, what, copied_bytes(host_), options_.seconds); });
    }
    device_.release_cached_memory();
  }

  void measure_files() {
    std::optional<ScratchFolder> scratch;
    const auto folder = [&] {
      if (!scratch) scratch.emplace(options_.folder);
      return scratch->path();
    };
    const auto one_thread = [&](MachineRate what, const char* unit) {
      FingerprintRecord blank = of(*device::make_cpu_device(), what, unit);
      blank.threads = 1;
      return blank;
    };
    add(one_thread(MachineRate::kImageLoader, "images/s"),
        [&] { return image_loader(folder(), at::get_num_threads(), options_.seconds); });
    add(one_thread(MachineRate::kDiskRead, "B/s"),
        [&] { return disk_read(folder(), options_.seconds); });
  }

  // `blank` names a measurement that fails.
  void add(const FingerprintRecord& blank, const Measure& measured) {
    if (!options_.continues()) return;
    FingerprintRecord record = blank;
    measure_or_say_why(record, [&] { record = measured(); });
    record.host = host_.hostname;
    record.device_name = blank.device_name;
    records_.push_back(std::move(record));
  }

  FingerprintRecord of(const device::Device& device, MachineRate what, const char* unit) const {
    FingerprintRecord record;
    record.device = device.name();
    record.device_name = device_name(device, host_);
    record.threads = at::get_num_threads();
    record.what = what;
    record.unit = unit;
    return record;
  }

  device::Device& device_;
  const monitoring::Host& host_;
  const MachineOptions& options_;
  std::vector<FingerprintRecord> records_;
};

}  // namespace

std::vector<FingerprintRecord> measure_machine(device::Device& device, const monitoring::Host& host,
                                               const MachineOptions& options) {
  return Fingerprint(device, host, options).of_machine();
}

std::vector<FingerprintRecord> measure_device(device::Device& device, const monitoring::Host& host,
                                              const MachineOptions& options) {
  return Fingerprint(device, host, options).of_device();
}

std::vector<FingerprintRecord> hold_products(device::Device& device, const monitoring::Host& host,
                                             const MachineOptions& options) {
  return Fingerprint(device, host, options).of_held();
}

std::vector<settings::Precision> precisions_of(const device::Device& device,
                                               const monitoring::Host& host) {
  const std::string flags = joined(host.cpu_flags, " ");
  settings::PrecisionDevice facts{
      .device = settings::DeviceKind::kCpu, .cpu_flags = flags, .gpu = {}};
  if (is_gpu(device)) {
    facts.device = settings::DeviceKind::kCuda;
    const auto found = monitoring::find_gpu(host.gpus, device.identity());
    if (found.gpu && found.gpu->compute_major && found.gpu->compute_minor) {
      facts.gpu = {.major = *found.gpu->compute_major, .minor = *found.gpu->compute_minor};
    }
  }
  std::vector<settings::Precision> precisions;
  for (const auto& [precision, name] : words_of(settings::Precision())) {
    if (!why_unsupported(precision, facts)) precisions.push_back(precision);
  }
  return precisions;
}

std::string reason_of(const std::exception& error) {
  if (const auto* ours = dynamic_cast<const Error*>(&error)) return ours->record().what;
  const auto* torchs = dynamic_cast<const c10::Error*>(&error);
  const std::string text = torchs ? torchs->what_without_backtrace() : error.what();
  return text.substr(0, text.find('\n'));
}

std::string device_name(const device::Device& device, const monitoring::Host& host) {
  if (!is_gpu(device)) return host.cpu;
  return monitoring::find_gpu(host.gpus, device.identity()).name();
}

std::int64_t copied_bytes(const monitoring::Host& host) {
  constexpr std::uint64_t kMost = 512u << 20, kLeast = 1u << 20, kShare = 16;
  const std::uint64_t memory =
      std::min(host.memory_bytes, host.cgroup.memory_bytes.value_or(host.memory_bytes));
  const std::uint64_t bytes = std::clamp(memory / kShare, kLeast, kMost);
  return static_cast<std::int64_t>(bytes / kLeast * kLeast);  // whole MiB
}

}  // namespace scalemark::fingerprint
