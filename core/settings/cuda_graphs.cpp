#include "core/settings/cuda_graphs.h"

#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/settings/checks.h"

namespace scalemark::settings {
namespace {

std::string leave_out(const char* option) { return std::string("leave ") + option + " out"; }

// A rank's exchange must be work of its GPU: what the host does is in no graph.
std::optional<NoGraph> why_no_exchange(const ParallelSettings& parallel) {
  const auto* strategy = catalogue::find_strategy(parallel.strategy);
  if (!strategy) return std::nullopt;
  if (!strategy->not_captured.empty()) {
    return NoGraph{"cannot be combined with --strategy " + strategy->name + ": " +
                       std::string(strategy->not_captured),
                   leave_out("--cuda-graphs")};
  }
  if (!strategy->exchanges) return std::nullopt;
  if (!catalogue::needs_one_rank_per_gpu(parallel.backend)) {
    return NoGraph{"needs gradients that go from GPU to GPU, and " + parallel.backend +
                       " takes them through the host",
                   "use --backend nccl"};
  }
  if (parallel.find_unused_parameters) {
    return NoGraph{
        "cannot be combined with --find-unused-parameters: the host asks the other "
        "ranks in each step",
        leave_out("--find-unused-parameters")};
  }
  return std::nullopt;
}

// A replay does what the captured step did: nothing that the host decides anew in each step.
std::optional<NoGraph> why_no_network(const Settings& settings,
                                      const catalogue::Workload& workload) {
  if (settings.parallel.activation_checkpointing) {
    return NoGraph{
        "cannot be combined with --activation-checkpointing: backward sets the random generator "
        "back, which no graph can hold",
        leave_out("--activation-checkpointing")};
  }
  if (serves(workload, "stochastic_depth") && settings.recipe.stochastic_depth > 0) {
    return NoGraph{
        "cannot be combined with --stochastic-depth: the host draws the branches of each step",
        leave_out("--stochastic-depth")};
  }
  if (workload.data_kind == catalogue::DataKind::kText && settings.task.data != "synthetic") {
    return NoGraph{
        "needs batches that are all alike, and those of a text differ in masked "
        "positions and padding",
        "use --data synthetic, or leave --cuda-graphs out"};
  }
  return std::nullopt;
}

std::optional<NoGraph> why_no_measurement(const Settings& settings) {
  const auto& measuring = settings.measuring;
  if (measures_communication_cost(settings)) {
    return NoGraph{
        "cannot be combined with --communication-cost: a captured step cannot leave its "
        "communication out",
        leave_out("--communication-cost")};
  }
  if (!measuring.trace.empty()) {
    return NoGraph{"cannot be combined with --trace: a replayed step has no parts to show",
                   "leave --cuda-graphs out where a step is traced"};
  }
  if (!measuring.epochs &&
      measuring.warmup_iters.value_or(kStepsBeforeGraph + 1) <= kStepsBeforeGraph) {
    const std::string fewest = std::to_string(kStepsBeforeGraph + 1);
    return NoGraph{"needs a warm-up of at least " + fewest +
                       " steps: in the last of them a step "
                       "is captured",
                   "use --warmup-iters " + fewest};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NoGraph> why_no_graph(const Settings& settings, const catalogue::Workload& workload) {
  if (settings.parallel.device == DeviceKind::kCpu) {
    return NoGraph{"is about GPUs, and the device is a CPU", leave_out("--cuda-graphs")};
  }
  if (auto no = why_no_exchange(settings.parallel)) return no;
  if (auto no = why_no_network(settings, workload)) return no;
  return why_no_measurement(settings);
}

}  // namespace scalemark::settings
