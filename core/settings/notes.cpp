#include "core/settings/notes.h"

#include <algorithm>
#include <utility>

#include "core/catalogue/backends.h"
#include "core/catalogue/strategy.h"
#include "core/settings/value.h"

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

bool has_fused_layers(const Settings& settings, const catalogue::Workload& workload) {
  const bool has_layout = !serves(workload, "memory_format") ||
                          settings.parallel.memory_format == MemoryFormat::kChannelsLast;
  return serves(workload, "fused_layers") && has_layout;
}

namespace {

constexpr double kFarFromReference = 4;  // times smaller or larger

std::vector<std::string> notes_on_learning_rate(const CheckInput& input) {
  const auto& recipe = input.settings.recipe;
  if (!input.workload || given_by_a_person(input.raw, "learning_rate")) return {};
  const catalogue::Recipe& wanted = input.workload->recipe;
  if (recipe.optimizer != wanted.optimizer) {
    return {"--optimizer " + recipe.optimizer + " runs at the recipe's learning rate for " +
            wanted.optimizer + " (" + to_text(recipe.learning_rate) +
            "); give --learning-rate to choose another"};
  }
  // A run of a fixed number of steps measures speed; how well it learns does not matter.
  if (!input.settings.measuring.epochs || recipe.lr_scaling != LrScaling::kNone) return {};
  const auto global = static_cast<double>(input.settings.size.global_batch_size);
  const auto reference = static_cast<double>(wanted.reference_batch);
  if (std::max(global / reference, reference / global) < kFarFromReference) return {};
  return {"the recipe's learning rate (" + to_text(recipe.learning_rate) +
          ") is for a global batch of " + std::to_string(wanted.reference_batch) + ", here it is " +
          std::to_string(input.settings.size.global_batch_size) +
          "; --lr-scaling linear or --learning-rate fits it"};
}

}  // namespace

std::vector<std::string> notes_on(const CheckInput& input) {
  std::vector<std::string> notes;
  const auto note = [&](std::string_view option, const std::string& why) {
    if (given_by_a_person(input.raw, option)) {
      notes.push_back(option_flag(option) + " has no effect: " + why);
    }
  };
  if (input.workload) {
    for (const Option& option : all_options()) {
      if (!serves(*input.workload, option.name)) {
        note(option.name, input.workload->name + " does not use it");
      }
    }
  }
  if (input.workload && serves(*input.workload, "fused_layers") &&
      !has_fused_layers(input.settings, *input.workload)) {
    note("fused_layers", "there are fused layers for --memory-format channels-last");
  }
  const std::string& strategy = input.settings.parallel.strategy;
  if (!catalogue::exchanges(strategy)) {
    for (const std::string_view option : catalogue::options_without_meaning(strategy)) {
      note(option, "strategy " + strategy + " exchanges no gradients");
    }
  }
  if (input.settings.measuring.epochs) note("communication_cost", "--epochs trains for real");
  if (input.settings.measuring.trace.empty()) note("trace_steps", "it is about --trace DIR");
  if (input.settings.general.tensorboard.empty())
    note("histograms", "it is about --tensorboard DIR");
  if (input.settings.parallel.device == DeviceKind::kCpu) note("pin_memory", "the device is a CPU");
  if (input.settings.task.data == "synthetic") {
    for (const std::string_view option : reading_options()) note(option, "the data is synthetic");
  } else if (input.settings.size.batch_size == 1) {
    for (const char* option : {"mixup", "cutmix"}) {
      note(option, "images are mixed within a batch, which holds one");
    }
  }
  std::ranges::move(notes_on_learning_rate(input), std::back_inserter(notes));
  return notes;
}

}  // namespace scalemark::settings
