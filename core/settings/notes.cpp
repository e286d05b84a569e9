// Notes on settings that have less, or more, effect than a person may expect.
#include <algorithm>
#include <utility>

#include "core/catalogue/strategy.h"
#include "core/settings/checks.h"
#include "core/settings/fused_layers.h"
#include "core/settings/value.h"

namespace scalemark::settings {
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
