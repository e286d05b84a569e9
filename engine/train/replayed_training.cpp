#include "engine/train/replayed_training.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "data/hash128.h"
#include "engine/device/digest.h"
#include "engine/step/measurement/window_timer.h"
#include "engine/train/trainer.h"
#include "engine/train/workload_data.h"

namespace scalemark::running {
namespace {

constexpr std::int64_t kSteps = 3;
constexpr std::int64_t kRounds = 2;
constexpr std::int64_t kMostSamples = 16;  // bits need no large batch
constexpr double kLearningRate = 1e-3;     // independent of the number of ranks

// Digests by name: "step 2: gradient of fc.weight". Their order does not depend on threads.
using Digests = std::map<std::string, std::string>;

// Notes each gradient when backward delivers it, since the update changes it.
void watch_gradients(const Trainer& trainer, const std::int64_t& step, Digests& digests) {
  for (const training::NamedParameter& parameter : trainer.parameters) {
    parameter.tensor.register_hook([&step, &digests, name = parameter.name](at::Tensor gradient) {
      digests["step " + std::to_string(step) + ": gradient of " + name] =
          device::digest_of(gradient);
    });
  }
}

// Runs one training from the start. Returns nothing where `continues` ended it.
Digests train_once(const settings::Settings& settings, const catalogue::Workload& workload,
                   const catalogue::ModelShape& shape, device::Device& device,
                   const std::function<bool()>& continues) {
  const TrainingRanks alone{.first = 0, .count = 1, .world_size = 1};
  const WorkloadData data{
      .shape = shape, .identity = "synthetic", .train = {}, .held_out = {}, .notes = {}};
  Trainer trainer = make_trainer(settings, shape, device, nullptr, alone, kSteps);
  const auto source = open_source(device, settings, workload, data, alone);
  Digests digests;
  std::int64_t step = 1;
  watch_gradients(trainer, step, digests);
  measurement::NoMarker marker;
  for (; step <= kSteps; ++step) {
    if (!continues()) return {};
    const at::Tensor loss = trainer.step->run([&] { return source->next(); }, marker);
    digests["step " + std::to_string(step) + ": loss"] = device::digest_of(loss);
  }
  const RunState state{.step = *trainer.step, .source = nullptr, .device = device.torch_device()};
  for (const auto& [name, tensor] : copy_of(state)) {
    digests["the end: " + name] = device::digest_of(tensor);
  }
  return digests;
}

std::string digest_of_all(const Digests& digests) {
  data::Hash128 hash;
  for (const auto& [name, digest] : digests) hash.add(name + "=" + digest + "\n");
  return data::to_hex(hash.digest());
}

std::string first_difference(const Digests& first, const Digests& again) {
  for (const auto& [name, digest] : first) {
    const auto found = again.find(name);
    if (found == again.end() || found->second != digest) return name;
  }
  return first.size() == again.size() ? "" : "other tensors";
}

// Whether the option affects the bits of a training, and not only its speed.
bool decides_bits(const settings::Option& option) {
  constexpr std::array<std::string_view, 4> kOfParallel{"precision", "memory_format",
                                                        "activation_checkpointing", "fused_layers"};
  using settings::OptionGroup;
  return option.group == OptionGroup::kWhat || option.group == OptionGroup::kSize ||
         option.group == OptionGroup::kRecipe || std::ranges::count(kOfParallel, option.name) > 0;
}

}  // namespace

ReplayedTraining replay_training(const settings::Settings& settings,
                                 const catalogue::Workload& workload,
                                 const catalogue::ModelShape& shape, device::Device& device,
                                 const std::function<bool()>& continues) {
  ReplayedTraining replayed;
  Digests first;
  for (std::int64_t round = 1; round <= kRounds; ++round) {
    Digests digests = train_once(settings, workload, shape, device, continues);
    if (digests.empty()) break;
    ++replayed.rounds;
    if (round == 1) {
      first = std::move(digests);
      replayed.digest = digest_of_all(first);
    } else {
      replayed.first_wrong = first_difference(first, digests);
    }
  }
  return replayed;
}

settings::Settings replayed_settings(settings::Settings settings) {
  settings.task.data = "synthetic";
  settings.task.vocab.clear();
  settings.size.batch_size = std::min(settings.size.batch_size, kMostSamples);
  settings.size.gradient_accumulation_steps = 1;
  settings.size.global_batch_size = settings.size.batch_size;
  settings.recipe.learning_rate = kLearningRate;
  settings.recipe.lr_warmup_steps = 0;
  settings.recipe.lr_warmup_share = 0;
  settings.recipe.deterministic = true;
  settings.recipe.init_from.clear();
  settings.recipe.save.clear();
  settings.parallel.strategy = "none";
  settings.parallel.cuda_graphs = false;
  settings.loading.synthetic_in_loop = false;
  settings.measuring = {};
  return settings;
}

std::string replayed_work(const settings::Settings& settings) {
  data::Hash128 hash;
  for (const auto& [name, value] : settings::flat_settings(settings)) {
    const settings::Option* const row = settings::find_row(name);
    if (row && decides_bits(*row)) hash.add(name + "=" + value + "\n");
  }
  return counted(kSteps, "step") + " of " + counted(settings.size.batch_size, "sample") +
         ", settings " + data::to_hex(hash.digest()).substr(0, 8);
}

}  // namespace scalemark::running
