#include "engine/fingerprint/compute.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/base/durations.h"
#include "core/base/text.h"
#include "core/collectives/bandwidth.h"
#include "engine/step/precision.h"
#include "engine/torch/compat.h"
#include "report/judge/point/fingerprint.h"

namespace scalemark::fingerprint {
namespace {

constexpr std::int64_t kBlocks = 40;  // twenty batch means of two, METRICS.md
constexpr std::int64_t kFewestBlocks = 2;
// A block has no more calls, however short a call seems.
constexpr std::int64_t kMostCalls = 1'000'000;
constexpr double kSettlingShare = 0.1;

std::int64_t between(double value, std::int64_t least, std::int64_t most) {
  if (!(value > static_cast<double>(least))) return least;
  return std::min(most, static_cast<std::int64_t>(std::min(value, static_cast<double>(most))));
}

}  // namespace

BlockPlan plan_blocks(double call_s, double seconds) {
  const double calls = call_s > 0 ? seconds / call_s : static_cast<double>(kBlocks * kMostCalls);
  const std::int64_t of_block = between(calls / kBlocks, 1, kMostCalls);
  return {.blocks = between(calls / static_cast<double>(of_block), kFewestBlocks, kBlocks),
          .calls = of_block};
}

reporting::TimedCalls run_blocks(device::Device& device, const BlockPlan& plan, const Call& call) {
  const std::unique_ptr<device::Timeline> timeline = device.new_timeline();
  timeline->reserve(static_cast<std::size_t>(plan.blocks) + 1);
  device.synchronize();
  // ------------------------------------------------------------------------------------ timed
  timeline->record();
  for (std::int64_t block = 0; block < plan.blocks; ++block) {
    for (std::int64_t i = 0; i < plan.calls; ++i) call();
    timeline->record();
  }
  // -----------------------------------------------------------------------------------------
  device.synchronize();
  const std::vector<double> moments = timeline->seconds();
  reporting::TimedCalls timed{.call_s = {}, .calls_per_block = plan.calls};
  for (std::size_t i = 1; i < moments.size(); ++i) {
    timed.call_s.push_back((moments[i] - moments[i - 1]) / static_cast<double>(plan.calls));
  }
  return timed;
}

double settled_call_s(device::Device& device, double seconds, const Call& call) {
  call();
  const double first_s = run_blocks(device, {.blocks = 1, .calls = 1}, call).call_s.front();
  const double calls = first_s > 0 ? kSettlingShare * seconds / first_s : 1;
  return run_blocks(device, {.blocks = 1, .calls = between(calls, 1, kMostCalls)}, call)
      .call_s.front();
}

reporting::TimedCalls time_calls(device::Device& device, double seconds, const Call& call) {
  return run_blocks(device, plan_blocks(settled_call_s(device, seconds, call), seconds), call);
}

namespace {

using reporting::MachineRate;

constexpr int kPieces = 8;             // pieces of the held time, four of them in its second half
constexpr double kLongestPiece_s = 2;  // a stop is noticed between two pieces

// The form must not change: rates are compared with those of older reports that have the same
// method.
std::string size_in_method(std::int64_t bytes) {
  const bool small = bytes < (512 << 20);
  return printed(small ? "%.1f MiB" : "%.2f GiB", bytes / (small ? 0x1p20 : 0x1p30));
}

FingerprintRecord begun(const device::Device& device, MachineRate what, const char* unit) {
  FingerprintRecord record;
  record.device = device.name();
  record.threads = at::get_num_threads();
  record.what = what;
  record.unit = unit;
  return record;
}

at::TensorOptions floats_on(const device::Device& device) {
  return at::TensorOptions().dtype(at::kFloat).device(device.torch_device());
}

std::int64_t floats_in(std::int64_t bytes) {
  return bytes / static_cast<std::int64_t>(sizeof(float));
}

// The matrix product whose rate is measured.
class Product {
 public:
  Product(const device::Device& device, settings::Precision precision)
      : size(matrix_size(device.torch_device().is_cuda(), at::get_num_threads())) {
    const training::PrecisionPolicy policy(precision, device.torch_device());
    const at::ScalarType type = policy.autocast_dtype().value_or(at::kFloat);
    // The numbers are random, since a GPU draws less power on zeros and computes faster.
    a_ = at::randn({size, size}, floats_on(device)).to(type);
    b_ = at::randn({size, size}, floats_on(device)).to(type);
    c_ = at::empty({size, size}, floats_on(device).dtype(type));
  }
  void compute() { at::mm_out(c_, a_, b_); }

  const std::int64_t size;

 private:
  at::Tensor a_, b_, c_;
};

FingerprintRecord begun_product(const device::Device& device, MachineRate what,
                                settings::Precision precision, std::int64_t n) {
  FingerprintRecord record = begun(device, what, "FLOP/s");
  record.precision = reporting::number_format(name_of(precision));
  record.method = std::to_string(n) + " x " + std::to_string(n);
  return record;
}

}  // namespace

std::int64_t matrix_size(bool on_gpu, int threads) {
  if (on_gpu) return 8192;
  return threads < 8 ? 1024 : threads < 32 ? 2048 : 4096;
}

FingerprintRecord matrix_product(device::Device& device, settings::Precision precision,
                                 double seconds) {
  Product product(device, precision);
  FingerprintRecord record =
      begun_product(device, MachineRate::kMatrixProduct, precision, product.size);
  set_rate(record, time_calls(device, seconds, [&] { product.compute(); }),
           reporting::matrix_product_flops(product.size));
  return record;
}

FingerprintRecord sustained_product(device::Device& device, settings::Precision precision,
                                    double seconds, const std::function<bool()>& continues) {
  Product product(device, precision);
  FingerprintRecord record =
      begun_product(device, MachineRate::kSustainedProduct, precision, product.size);
  record.method += ", held for " + printed("%.3g s", seconds);
  const Call call = [&] { product.compute(); };
  const double piece_s = std::min(seconds / kPieces, kLongestPiece_s);
  const double call_s = settled_call_s(device, piece_s, call);
  const auto start = std::chrono::steady_clock::now();
  reporting::TimedCalls late;
  // On a busy machine one piece may begin in the first half and end after the second, so the loop
  // continues until a late piece counts.
  while ((seconds_since(start) < seconds || late.call_s.empty()) && continues()) {
    const bool counts = 2 * seconds_since(start) >= seconds;
    const reporting::TimedCalls piece = run_blocks(device, plan_blocks(call_s, piece_s), call);
    late.calls_per_block = piece.calls_per_block;
    if (counts) late.call_s.insert(late.call_s.end(), piece.call_s.begin(), piece.call_s.end());
  }
  set_rate(record, late, reporting::matrix_product_flops(product.size));
  return record;
}

FingerprintRecord memory_copy(device::Device& device, std::int64_t bytes, double seconds) {
  FingerprintRecord record = begun(device, MachineRate::kMemoryCopy, "B/s");
  record.method = "2 arrays of " + size_in_method(bytes);
  // They are written, so that each page gets memory of its own: the kernel backs all unwritten
  // pages by one.
  const at::Tensor from = at::ones({floats_in(bytes)}, floats_on(device));
  at::Tensor to = at::ones({floats_in(bytes)}, floats_on(device));
  set_rate(record, time_calls(device, seconds, [&] { to.copy_(from); }),
           2 * static_cast<double>(bytes));
  return record;
}

FingerprintRecord host_copy(device::Device& device, MachineRate what, std::int64_t bytes,
                            double seconds) {
  FingerprintRecord record = begun(device, what, "B/s");
  record.method = size_in_method(bytes) + " of pinned memory";
  const data::HostBuffer buffer =
      device.batch_allocator(/*pin_memory=*/true)(static_cast<std::size_t>(bytes));
  at::Tensor on_host = at::from_blob(buffer.get(), {floats_in(bytes)}, at::kFloat);
  on_host.fill_(1);
  at::Tensor on_device = at::ones({floats_in(bytes)}, floats_on(device));
  const bool to_device = what == MachineRate::kHostToDevice;
  at::Tensor& to = to_device ? on_device : on_host;
  const at::Tensor& from = to_device ? on_host : on_device;
  set_rate(record, time_calls(device, seconds, [&] { to.copy_(from, /*non_blocking=*/true); }),
           static_cast<double>(bytes));
  device.synchronize();  // the copies must be done before the pinned memory is freed
  return record;
}

namespace {

// Returns rank 0's plan, since every rank must make equally many calls.
BlockPlan agreed_plan(process::RankGroup& rank_group, const BlockPlan& mine) {
  // Rank 0's numbers are the largest, because the others pass 0.
  const bool leads = rank_group.world().rank == 0;
  std::vector<double> plan{leads ? static_cast<double>(mine.blocks) : 0,
                           leads ? static_cast<double>(mine.calls) : 0};
  rank_group.max_over_ranks(plan);
  return {.blocks = static_cast<std::int64_t>(plan[0]),
          .calls = static_cast<std::int64_t>(plan[1])};
}

}  // namespace

reporting::FingerprintRecord exchange(process::RankGroup& rank_group, MachineRate what,
                                      std::int64_t bytes, double seconds) {
  device::Device& device = rank_group.device();
  const int ranks = rank_group.world().world_size;
  FingerprintRecord record = begun(device, what, "B/s");
  record.host = rank_group.context().host();
  record.method = printed("busbw of %.4g MB, ", static_cast<double>(bytes) / 1e6) +
                  std::to_string(ranks) + " ranks, " + std::string(rank_group.backend());
  const bool to_all = what == MachineRate::kNodeAllToAll;
  // Each rank sends equally much to each.
  const std::int64_t floats = to_all ? floats_in(bytes) / ranks * ranks : floats_in(bytes);
  std::vector<at::Tensor> tensors{at::zeros({floats}, floats_on(device))};
  at::Tensor received = to_all ? at::empty_like(tensors.front()) : at::Tensor();
  std::vector<std::int64_t> even;
  const auto call = [&] {
    if (to_all) {
      rank_group.group()->all_to_all_single(received, tensors.front(), even, even)->wait();
    } else {
      rank_group.group()->allreduce(tensors)->wait();
    }
  };
  // The warm-up has a fixed number of calls; with a fixed time ranks would make different numbers
  // of them.
  constexpr BlockPlan kSettling{.blocks = 1, .calls = 3};
  run_blocks(device, kSettling, call);
  const double call_s = run_blocks(device, kSettling, call).call_s.front();
  const BlockPlan plan = agreed_plan(rank_group, plan_blocks(call_s, seconds));
  reporting::TimedCalls timed = run_blocks(device, plan, call);
  rank_group.max_over_ranks(timed.call_s);
  using collectives::Collective;
  const Collective collective = to_all ? Collective::kAllToAll : Collective::kAllReduce;
  set_rate(record, timed,
           static_cast<double>(floats * static_cast<std::int64_t>(sizeof(float))) *
               *collectives::bus_factor(collective, ranks));
  return record;
}

std::int64_t bytes_within_node(bool on_gpu) { return (on_gpu ? 256 : 16) << 20; }

}  // namespace scalemark::fingerprint
