#include "engine/running/trainer.h"

#include <ATen/Context.h>
#include <torch/nn/module.h>

#include <cmath>
#include <utility>

#include "engine/training/optimizer.h"
#include "engine/training/strategy.h"
#include "workloads/weights.h"

namespace scalemark::running {
namespace {

// Odd, and no small number: generators of a CPU read the lower 32 bits of a seed, and neither
// another rank nor one of the seeds beside this one may come to the same.
constexpr std::uint64_t kRankSeed = 0x9E3779B9;

workloads::NetworkOptions network_options(const settings::Settings& settings,
                                          const catalogue::ModelShape& shape) {
  return {.shape = shape,
          .zero_init_residual = settings.recipe.zero_init_residual,
          .label_smoothing = settings.recipe.label_smoothing,
          .checkpointing = settings.parallel.activation_checkpointing,
          .stochastic_depth = settings.recipe.stochastic_depth,
          .memory_format = settings.parallel.memory_format == settings::MemoryFormat::kChannelsLast
                               ? at::MemoryFormat::ChannelsLast
                               : at::MemoryFormat::Contiguous};
}

training::LrSchedule schedule_of(const settings::RecipeSettings& recipe,
                                 std::int64_t planned_steps) {
  const auto shared_warmup = static_cast<std::int64_t>(
      std::llround(recipe.lr_warmup_share * static_cast<double>(planned_steps)));
  return {.kind = recipe.lr_schedule,
          .rate = recipe.learning_rate,
          .warmup_steps = recipe.lr_warmup_steps + shared_warmup,
          .total_steps = planned_steps};
}

}  // namespace

Trainer make_trainer(const settings::Settings& settings, const catalogue::ModelShape& shape,
                     device::Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                     const TrainingRanks& ranks, std::int64_t planned_steps) {
  Trainer trainer;
  at::manual_seed(settings.recipe.seed);
  trainer.network =
      workloads::make_network(settings.task.workload, network_options(settings, shape));
  if (!settings.recipe.init_from.empty()) {
    workloads::load_weights(*trainer.network, settings.recipe.init_from);
  }
  torch::nn::Module& module = trainer.network->module();
  module.to(device.torch_device());
  module.train();

  trainer.parameters = training::trainable_parameters(module);
  auto strategy = training::make_strategy({.parameters = trainer.parameters,
                                           .buffers = training::buffers_of(module),
                                           .group = std::move(group),
                                           .settings = settings.parallel});
  auto optimizer = training::make_optimizer(strategy->optimizer_parameters(), settings.recipe,
                                            strategy->whole_norms());
  trainer.step = std::make_unique<training::TrainStep>(
      *trainer.network, trainer.parameters, std::move(optimizer), std::move(strategy),
      training::TrainStepOptions{
          .device = device.torch_device(),
          .gradient_accumulation_steps = settings.size.gradient_accumulation_steps,
          .clip_grad_norm = settings.recipe.clip_grad_norm,
          .precision = settings.parallel.precision,
          .schedule = schedule_of(settings.recipe, planned_steps)});
  if (ranks.first > 0) {
    at::manual_seed(settings.recipe.seed + kRankSeed * static_cast<unsigned>(ranks.first));
  }
  return trainer;
}

}  // namespace scalemark::running
