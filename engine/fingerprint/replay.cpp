#include "engine/fingerprint/replay.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ne.h>

#include <chrono>
#include <cstdint>

#include "core/base/durations.h"
#include "core/base/text.h"
#include "core/settings/settings.h"
#include "engine/device/digest.h"
#include "engine/fingerprint/compute.h"
#include "engine/process/versions.h"
#include "engine/step/precision.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::fingerprint {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kFewestRounds = 3;
constexpr std::uint64_t kLeftSeed = 1, kRightSeed = 2;  // any two numbers

// Returns SplitMix64 (Steele, Lea and Flood 2014) of a counter, so that element i of a matrix is
// the same on every machine and for every number of threads.
std::uint64_t random_bits(std::uint64_t counter) {
  std::uint64_t z = counter * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Returns n x n numbers in [-1, 1), multiples of 2^-23.
at::Tensor matrix(std::int64_t n, std::uint64_t seed) {
  at::Tensor values = at::empty({n, n}, at::kFloat);
  float* const out = values.mutable_data_ptr<float>();
  const std::uint64_t base = seed << 40;
  at::parallel_for(0, n * n, 1 << 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t top = random_bits(base + static_cast<std::uint64_t>(i)) >> 40;
      out[i] = static_cast<float>(top) * 0x1p-23F - 1.0F;
    }
  });
  return values;
}

at::Tensor bits_of(const at::Tensor& values) {
  return values.view(values.element_size() == 2 ? at::kShort : at::kInt);
}

std::string place_of_first(const at::Tensor& differ, std::int64_t round) {
  const std::int64_t place = differ.flatten().to(at::kByte).argmax().item<std::int64_t>();
  const std::int64_t columns = differ.size(1);
  const std::int64_t elements = differ.sum().item<std::int64_t>();
  return "round " + std::to_string(round) + ", row " + std::to_string(place / columns) +
         ", column " + std::to_string(place % columns) + ", " + counted(elements, "element");
}

void replay_product(device::Device& device, const monitoring::Host& host,
                    settings::Precision precision, const MachineOptions& options,
                    reporting::ReplayRecord& record) {
  const std::int64_t n = matrix_size(device.torch_device().is_cuda(), at::get_num_threads());
  record.method = std::to_string(n) + " x " + std::to_string(n) + ", " + bits_method(device, host);
  const training::PrecisionPolicy policy(precision, device.torch_device());
  const at::ScalarType type = policy.autocast_dtype().value_or(at::kFloat);
  const at::Tensor a = matrix(n, kLeftSeed).to(device.torch_device()).to(type);
  const at::Tensor b = matrix(n, kRightSeed).to(device.torch_device()).to(type);
  const at::Tensor first = at::mm(a, b);
  record.digest = device::digest_of(first);
  record.rounds = 1;
  at::Tensor c = at::empty_like(first);
  const auto start = Clock::now();
  while (record.rounds < kFewestRounds || seconds_since(start) < options.seconds) {
    if (!options.continues()) break;
    c.zero_();  // an unwritten element must not keep its value from the round before
    at::mm_out(c, a, b);
    ++record.rounds;
    const at::Tensor differ = at::ne(bits_of(c), bits_of(first));
    if (!differ.any().item<bool>()) continue;
    ++record.wrong;
    if (record.first_wrong.empty()) record.first_wrong = place_of_first(differ, record.rounds);
  }
}

}  // namespace

std::string bits_method(const device::Device& device, const monitoring::Host& host) {
  const bool on_gpu = device.torch_device().is_cuda();
  std::string method = device_name(device, host) + ", " + device.arithmetic();
  for (const auto& [name, version] : process::library_versions(on_gpu)) {
    if (name == "libtorch" || name == "cuda" || name == "cudnn") {
      method += ", " + name + " " + version.running_with.value_or("");
    }
  }
  return method;
}

std::vector<reporting::ReplayRecord> replay_products(device::Device& device,
                                                     const monitoring::Host& host,
                                                     const MachineOptions& options) {
  std::vector<reporting::ReplayRecord> replays;
  for (const settings::Precision precision : precisions_of(device, host)) {
    if (!options.continues()) break;
    reporting::ReplayRecord& record = replays.emplace_back();
    record.work = "matrix product";
    record.precision = reporting::number_format(name_of(precision));
    measure_or_say_why(record, [&] { replay_product(device, host, precision, options, record); });
    device.release_cached_memory();
  }
  return replays;
}

}  // namespace scalemark::fingerprint
