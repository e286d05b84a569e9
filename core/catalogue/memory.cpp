#include "core/catalogue/memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/catalogue/strategy.h"

namespace scalemark::catalogue {
namespace {

struct Row {
  std::string_view name;
  OptimizerState state;
  int update_copies;
};

constexpr auto kRows = std::to_array<Row>({
#define SCALEMARK_OPTIMIZER(name, maker, state, update_copies) \
  {#name, OptimizerState::state, update_copies},
#include "core/catalogue/optimizer_list.inc"
#undef SCALEMARK_OPTIMIZER
});

const Row& row_of(std::string_view optimizer) {
  const auto found = std::ranges::find(kRows, optimizer, &Row::name);
  if (found == kRows.end()) throw bug("no optimizer '" + std::string(optimizer) + "'");
  return *found;
}

}  // namespace

std::vector<std::string_view> optimizer_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

int state_copies(std::string_view optimizer, double momentum) {
  if (row_of(optimizer).state == OptimizerState::kTwoMoments) return 2;
  return momentum > 0 ? 1 : 0;
}

int update_copies(std::string_view optimizer) { return row_of(optimizer).update_copies; }

namespace {

constexpr double kStateBytes = 4, kIndexBytes = 8;

// Tensors of the parameters' size that the optimizer of a process needs. What an update frees lies
// beside the activations on a CPU, whose allocator keeps it for the next update; on a GPU the
// update has the place of the activations, which are gone by then.
int all_optimizer_copies(const MemoryQuestion& question) {
  return state_copies(question.optimizer, question.momentum) +
         (question.on_cpu ? update_copies(question.optimizer) : 0);
}

// Only training ranks keep the optimizer's state: with --server dedicated they keep none.
double optimizer_copies(const MemoryQuestion& question) {
  if (question.dedicated_server) return 0;
  const int copies = all_optimizer_copies(question);
  const Strategy* strategy = find_strategy(question.strategy);
  const bool divided = strategy && strategy->updates == Updates::kShard;
  return static_cast<double>(copies) / (divided ? question.world_size : 1);
}

double extra_bytes(double parameters, const MemoryQuestion& question) {
  const Strategy* strategy = find_strategy(question.strategy);
  if (!strategy) return 0;
  return strategy->extra_memory_bytes({.parameters = parameters,
                                       .world_size = question.world_size,
                                       .dedicated_server = question.dedicated_server,
                                       .gradient_as_bucket_view = question.gradient_as_bucket_view,
                                       .on_cpu = question.on_cpu,
                                       .all_reduces_to_scatter = question.all_reduces_to_scatter,
                                       .compressed = question.compressed});
}

// Training ranks that compute in this memory.
int replicas_here(const MemoryQuestion& question) {
  const Strategy* strategy = find_strategy(question.strategy);
  const bool together = strategy && strategy->processes == ProcessCount::kOne;
  return together && question.on_cpu ? question.world_size : 1;
}

double strategy_bytes(double parameters, const MemoryQuestion& question) {
  return question.dedicated_server ? 0 : extra_bytes(parameters, question);
}

// A dedicated server holds parameters, gradients, the optimizer's state and what the ranks sent. It
// computes no batch.
double server_bytes(const Workload& workload, const MemoryQuestion& question) {
  if (!question.dedicated_server) return 0;
  const auto parameters = static_cast<double>(workload.parameters(question.shape));
  const double copies = 2 + all_optimizer_copies(question);
  return kStateBytes * parameters * copies + extra_bytes(parameters, question) +
         (question.whole_process ? static_cast<double>(kProcessBytes) : 0);
}

double fixed_bytes(const Workload& workload, const MemoryQuestion& question) {
  const auto parameters = static_cast<double>(workload.parameters(question.shape));
  double copies = 2 + optimizer_copies(question);
  const double extra = strategy_bytes(parameters, question);
  if (!question.whole_process) return kStateBytes * parameters * copies + extra;
  // oneDNN computes convolutions in a blocked layout and keeps weights in it, too.
  if (workload.data_kind == DataKind::kImages) copies += replicas_here(question);
  return kStateBytes * parameters * copies + extra + static_cast<double>(kProcessBytes);
}

double activation_bytes(const Workload& workload, const MemoryQuestion& question) {
  const int element_bytes = question.activation_element_bytes;
  if (!question.activation_checkpointing || !workload.checkpointed_bytes) {
    return workload.activation_bytes_per_sample(question.shape, element_bytes);
  }
  const CheckpointedBytes all = workload.checkpointed_bytes(question.shape, element_bytes);
  // A CPU's allocator keeps the loss's large blocks for the next loss, and the block needs its own.
  return all.kept + (question.whole_process ? all.loss + all.block : std::max(all.loss, all.block));
}

// Counts what one sample of a rank's batch takes.
double bytes_per_sample(const Workload& workload, const MemoryQuestion& question) {
  double batches = question.input_batches;
  // Backward keeps the input itself of a vector.
  if (workload.data_kind == DataKind::kVectors) batches = std::max(0.0, batches - 1);
  return replicas_here(question) * (activation_bytes(workload, question) +
                                    batches * input_bytes_per_sample(workload, question.shape));
}

}  // namespace

double input_bytes_per_sample(const Workload& workload, const ModelShape& shape) {
  const auto side = static_cast<double>(shape.image_size);
  const auto tokens = static_cast<double>(shape.sequence_length);
  switch (workload.data_kind) {
    case DataKind::kImages:
      return 3 * side * side + kIndexBytes;
    case DataKind::kText:  // tokens, segments, mask; about 15 % positions and labels; next sentence
      return (3 + 2 * 0.15) * tokens * kIndexBytes + kIndexBytes;
    case DataKind::kVectors:
      return static_cast<double>(workload.input_features) * kStateBytes + kIndexBytes;
  }
  return 0;
}

std::uint64_t estimated_memory_bytes(const Workload& workload, const MemoryQuestion& question) {
  const double bytes = fixed_bytes(workload, question) + static_cast<double>(question.batch_size) *
                                                             bytes_per_sample(workload, question);
  return static_cast<std::uint64_t>(
      std::llround(std::max(bytes, server_bytes(workload, question))));
}

std::int64_t largest_batch_that_fits(const Workload& workload, MemoryQuestion question,
                                     std::uint64_t available_bytes) {
  const auto available = static_cast<double>(available_bytes);
  const double left = available - fixed_bytes(workload, question);
  if (left <= 0 || server_bytes(workload, question) > available) return 0;
  return static_cast<std::int64_t>(left / bytes_per_sample(workload, question));
}

}  // namespace scalemark::catalogue
