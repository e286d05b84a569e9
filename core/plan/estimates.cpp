#include "core/plan/estimates.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/words.h"
#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/settings/processes.h"

namespace scalemark::planning {
namespace {

constexpr std::int64_t kFewestCostSteps = 5;  // a block has at least so many
constexpr double kRounding = 1e-9;            // a window of whole steps may be off by so much

// Achieved in training, not peak: on a CPU per compute thread (ResNet-50 and BERT reach 20 to 80
// GFLOP/s a thread on current server cores), on a GPU per device (an H100 with eager PyTorch).
double nominal_flops_per_s(const settings::ParallelSettings& parallel) {
  const bool half = is_half(parallel.precision);
  if (parallel.device == settings::DeviceKind::kCpu)
    return 40e9 * parallel.threads * (half ? 2 : 1);
  if (half) return 80e12;
  return parallel.precision == settings::Precision::kTf32 ? 40e12 : 20e12;
}

double exchange_s(const settings::Settings& settings, double parameters, int world_size) {
  const catalogue::Strategy* strategy = catalogue::find_strategy(settings.parallel.strategy);
  if (!strategy || !strategy->exchanges) return 0;
  const bool dedicated = settings::has_dedicated_server(settings.parallel);
  if (world_size == 1 && !dedicated) return 0;
  const catalogue::WireBytes wire =
      strategy->wire_bytes({.parameters = parameters,
                            .world_size = world_size,
                            .dedicated_server = dedicated,
                            .local_steps = settings.parallel.local_steps});
  const double bytes = std::max(wire.busiest_sent, wire.busiest_received);
  if (bytes == 0) return 0;
  const catalogue::Backend* known = catalogue::find_backend(settings.parallel.backend);
  const catalogue::Backend backend = known ? *known : catalogue::Backend{};
  return backend.latency_s + bytes / backend.bytes_per_s;
}

// A multiple of the least length.
constexpr double kLongestWarmup = 5;

bool on_cpu(const settings::Settings& settings) {
  return settings.parallel.device == settings::DeviceKind::kCpu;
}

double length_s(double least_s, std::optional<double> most_s, std::int64_t least_steps,
                double step_s) {
  const double wanted = std::max(least_s, static_cast<double>(least_steps) * step_s);
  const double fewest = static_cast<double>(kFewestSteps) * step_s;
  return most_s ? std::max(fewest, std::min(wanted, *most_s)) : wanted;
}

// How many batches of input tensors a rank holds, where the loader hands them over without a copy.
int input_batches(const settings::Settings& settings) {
  return settings.task.data == "synthetic" ? kSyntheticBatches : kLoadedBatches;
}

}  // namespace

catalogue::MemoryQuestion memory_question(const settings::Settings& settings,
                                          const catalogue::ModelShape& shape, int world_size) {
  const auto& parallel = settings.parallel;
  return {.shape = shape,
          .batch_size = settings.size.batch_size,
          .optimizer = settings.recipe.optimizer,
          .momentum = settings.recipe.momentum,
          .activation_element_bytes = is_half(parallel.precision) ? 2 : 4,
          .activation_checkpointing = parallel.activation_checkpointing,
          .strategy = parallel.strategy,
          .world_size = world_size,
          .dedicated_server = settings::has_dedicated_server(parallel),
          .gradient_as_bucket_view = parallel.gradient_as_bucket_view,
          .all_reduces_to_scatter = catalogue::all_reduces_to_scatter(parallel.backend),
          .compressed = parallel.gradient_compression != settings::GradientCompression::kNone,
          .on_cpu = on_cpu(settings),
          .input_batches = on_cpu(settings) ? input_batches(settings) : 0,
          .whole_process = on_cpu(settings)};
}

std::uint64_t estimated_memory_bytes(const settings::Settings& settings, int world_size) {
  const catalogue::Workload* workload = catalogue::find_workload(settings.task.workload);
  if (workload == nullptr) return 0;
  return catalogue::estimated_memory_bytes(
      *workload, memory_question(settings, shape_of(*workload, settings), world_size));
}

double estimated_step_s(const settings::Settings& settings, int world_size) {
  const catalogue::Workload* workload = catalogue::find_workload(settings.task.workload);
  if (!workload) return 0;
  const catalogue::ModelShape shape = shape_of(*workload, settings);
  const double samples = static_cast<double>(settings.size.batch_size) *
                         static_cast<double>(settings.size.gradient_accumulation_steps);
  const double fixed_s = on_cpu(settings) ? 2e-4 : 3e-3;
  // A second forward pass, beside one forward and two backward.
  const double passes = settings.parallel.activation_checkpointing ? 4.0 / 3 : 1;
  return fixed_s +
         passes * samples * workload->flops_per_sample(shape) /
             nominal_flops_per_s(settings.parallel) +
         exchange_s(settings, static_cast<double>(workload->parameters(shape)), world_size);
}

double estimated_start_s(const settings::Settings& settings) { return on_cpu(settings) ? 1 : 8; }
double estimated_setup_s(const settings::Settings& settings) { return on_cpu(settings) ? 0.4 : 2; }

double estimated_warmup_s(const RunLength& length, double step_s) {
  if (length.warmup_iters) return static_cast<double>(*length.warmup_iters) * step_s;
  return length_s(length.least_warmup_s, length.most_warmup_s, length.least_warmup_steps, step_s);
}

double latest_warmup_s(const RunLength& length) {
  const double latest = length.max_warmup_s.value_or(kLongestWarmup * length.least_warmup_s);
  return std::min(latest, length.most_warmup_s.value_or(latest));
}

double estimated_window_s(const RunLength& length, double step_s) {
  if (length.iters) return static_cast<double>(*length.iters) * step_s;
  return length_s(kWindowMargin * length.least_window_s, length.most_window_s, length.least_steps,
                  step_s);
}

std::int64_t whole_periods(std::int64_t steps, std::int64_t period) {
  return (steps + period - 1) / period * period;
}

std::int64_t cost_block_steps(std::int64_t window_steps, std::int64_t period) {
  const std::int64_t share = (window_steps + kCostBlocks - 1) / kCostBlocks;
  return whole_periods(std::max(kFewestCostSteps, share), period);
}

double estimated_abba_s(const settings::Settings& settings, const RunLength& length,
                        double step_s) {
  if (!settings::measures_communication_cost(settings) || !(step_s > 0)) return 0;
  const double steps = std::ceil(estimated_window_s(length, step_s) / step_s - kRounding);
  const std::int64_t of_block =
      cost_block_steps(static_cast<std::int64_t>(steps), settings::exchange_period(settings));
  return static_cast<double>(kCostBlocks * of_block) * step_s;
}

double estimated_trace_s(const settings::Settings& settings, double step_s) {
  const auto& measuring = settings.measuring;
  const bool counts = !settings.general.tensorboard.empty() && measuring.histograms != "none";
  const std::int64_t traced = measuring.trace.empty() ? 0 : 1 + measuring.trace_steps;
  return static_cast<double>(traced + (counts ? 1 : 0)) * step_s;
}

RunLength run_length_of(const settings::Settings& settings) {
  RunLength length = default_length(settings);
  apply_options(settings.measuring, length);
  return length;
}

RunLength default_length(const settings::Settings& settings) {
  RunLength length;
  length.least_warmup_s = settings.parallel.device == settings::DeviceKind::kCuda ? 10 : 2;
  return length;
}

void apply_options(const settings::MeasuringSettings& measuring, RunLength& length) {
  length.iters = measuring.iters;
  length.warmup_iters = measuring.warmup_iters;
  if (length.warmup_iters) length.most_warmup_s.reset();
  length.max_warmup_s = measuring.max_warmup_s;
  if (length.max_warmup_s) {
    length.least_warmup_s = std::min(length.least_warmup_s, *length.max_warmup_s);
  }
  if (length.iters) length.most_window_s.reset();
  length.least_window_s = std::max(length.least_window_s, measuring.min_time_s);
  if (length.most_window_s) {
    length.most_window_s = std::max(*length.most_window_s, measuring.min_time_s);
  }
}

catalogue::ModelShape shape_of(const catalogue::Workload& workload,
                               const settings::Settings& settings) {
  return catalogue::resolved_shape(workload, {.image_size = settings.task.image_size,
                                              .sequence_length = settings.task.sequence_length});
}

double estimated_steps_s(const settings::Settings& settings, const RunLength& length,
                         double step_s) {
  const bool has_buckets =
      catalogue::exchanges(settings.parallel.strategy) && !settings.measuring.epochs;
  return estimated_warmup_s(length, step_s) + estimated_window_s(length, step_s) +
         estimated_abba_s(settings, length, step_s) +
         (has_buckets ? (kBucketSteps + kExchangesAlone) * step_s : 0);
}

double estimated_train_s(const settings::Settings& settings, int world_size) {
  return estimated_start_s(settings) + estimated_setup_s(settings) +
         estimated_steps_s(settings, run_length_of(settings),
                           estimated_step_s(settings, world_size));
}

std::optional<std::uint64_t> least(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<std::uint64_t> share_of_host(const AvailableMemory& there) {
  if (there.host_bytes == 0) return std::nullopt;
  const std::uint64_t host = std::min(there.host_bytes, there.cgroup_bytes.value_or(UINT64_MAX));
  return host / static_cast<std::uint64_t>(std::max(1, there.ranks));
}

std::optional<std::uint64_t> memory_limit(const settings::ParallelSettings& parallel, int rank,
                                          const AvailableMemory& there) {
  const auto own = parallel.memory_limit.bytes_of_rank.find(rank);
  if (own != parallel.memory_limit.bytes_of_rank.end()) {
    return static_cast<std::uint64_t>(own->second);
  }
  if (parallel.memory_limit.every_bytes)
    return static_cast<std::uint64_t>(*parallel.memory_limit.every_bytes);
  const auto share = share_of_host(there);
  if (parallel.device != settings::DeviceKind::kCpu || !share) return std::nullopt;
  return *share / 10 * 8;
}

std::optional<std::uint64_t> memory_available(const settings::ParallelSettings& parallel, int rank,
                                              const AvailableMemory& there) {
  const auto most =
      parallel.device == settings::DeviceKind::kCpu ? share_of_host(there) : there.gpu_bytes;
  return least(memory_limit(parallel, rank, there), most);
}

std::optional<std::uint64_t> least_memory_available(const settings::ParallelSettings& parallel,
                                                    int world_size, const AvailableMemory& there) {
  std::optional<std::uint64_t> all;
  for (int rank = 0; rank < world_size; ++rank) {
    all = least(all, memory_available(parallel, rank, there));
  }
  return all;
}

std::optional<settings::Problem> unknown_rank_in_memory_limit(const settings::Settings& settings,
                                                              int world_size) {
  const auto& limits = settings.parallel.memory_limit.bytes_of_rank;
  if (limits.empty() || limits.rbegin()->first < world_size) return std::nullopt;
  return settings::Problem{.option = "memory_limit",
                           .found = std::to_string(limits.rbegin()->first) + "=...",
                           .allowed = "the ranks are 0 to " + std::to_string(world_size - 1),
                           .origin = value_at(settings.origins, "memory_limit"),
                           .hint = "name ranks of this launch, or start more"};
}

}  // namespace scalemark::planning
