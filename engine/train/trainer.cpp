#include "engine/train/trainer.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>
#include <torch/nn/module.h>

#include <cmath>
#include <mutex>
#include <utility>

#include "core/base/error.h"
#include "core/catalogue/strategy.h"
#include "engine/step/optimizer.h"
#include "engine/step/strategy.h"
#include "workloads/weights/weights.h"

namespace scalemark::running {
namespace {

// It is odd and large: a CPU's generators read the lower 32 bits of a seed, and no other rank and
// no neighbouring seed may arrive at the same ones.
constexpr std::uint64_t kRankSeed = 0x9E3779B9;

workloads::NetworkOptions network_options(const settings::Settings& settings,
                                          const catalogue::ModelShape& shape) {
  return {.shape = shape,
          .zero_init_residual = settings.recipe.zero_init_residual,
          .label_smoothing = settings.recipe.label_smoothing,
          .checkpointing = settings.parallel.activation_checkpointing,
          .stochastic_depth = settings.recipe.stochastic_depth,
          .fused_layers = settings.parallel.fused_layers,
          .memory_format = settings.parallel.memory_format == settings::MemoryFormat::kChannelsLast
                               ? at::MemoryFormat::ChannelsLast
                               : at::MemoryFormat::Contiguous};
}

// True only where each rank's optimizer, and nothing else, writes all of its parameters.
bool keeps_weight_copies(const settings::Settings& settings) {
  const catalogue::Strategy* strategy = catalogue::find_strategy(settings.parallel.strategy);
  return settings.parallel.fused_layers && strategy && strategy->in_every_step &&
         strategy->updates == catalogue::Updates::kEverywhere &&
         strategy->processes == catalogue::ProcessCount::kOnePerRank;
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

// Makes the network of a seed, or of --init-from, in train mode on a device.
std::unique_ptr<workloads::Network> make_network(const settings::Settings& settings,
                                                 const catalogue::ModelShape& shape,
                                                 c10::Device device) {
  auto network = workloads::make_network(settings.task.workload, network_options(settings, shape));
  if (!settings.recipe.init_from.empty()) {
    workloads::load_weights(*network, settings.recipe.init_from);
  }
  network->module().to(device);
  network->module().train();
  return network;
}

// Seeds the random numbers that a rank draws in training. Each GPU replica has its own generator;
// replicas on a CPU share the process's.
void seed_draws(std::uint64_t seed, c10::Device device, const TrainingRanks& ranks) {
  const auto seed_of = [&](int rank) { return seed + kRankSeed * static_cast<unsigned>(rank); };
  if (ranks.first > 0) at::manual_seed(seed_of(ranks.first));
  if (device.is_cpu()) return;
  for (int i = 1; i < ranks.count; ++i) {
    at::Generator generator =
        at::globalContext().defaultGenerator(training::device_of_replica(device, i));
    const std::lock_guard lock(generator.mutex());
    generator.set_current_seed(seed_of(ranks.first + i));
  }
}

}  // namespace

Trainer make_trainer(const settings::Settings& settings, const catalogue::ModelShape& shape,
                     device::Device& device, c10::intrusive_ptr<c10d::ProcessGroup> group,
                     const TrainingRanks& ranks, std::int64_t planned_steps) {
  Trainer trainer;
  at::manual_seed(settings.recipe.seed);
  trainer.network = make_network(settings, shape, device.torch_device());
  torch::nn::Module& module = trainer.network->module();
  trainer.parameters = training::trainable_parameters(module);
  auto strategy = training::make_strategy(
      {.parameters = trainer.parameters,
       .buffers = training::buffers_of(module),
       .group = std::move(group),
       .settings = settings.parallel,
       .replicas = ranks.count,
       .make_replica = [&](c10::Device place) { return make_network(settings, shape, place); }});
  auto optimizer = training::make_optimizer(strategy->optimizer_parameters(), settings.recipe,
                                            strategy->whole_norms());
  trainer.step = std::make_unique<training::TrainStep>(
      *trainer.network, trainer.parameters, std::move(optimizer), std::move(strategy),
      training::TrainStepOptions{
          .body = {.device = device.torch_device(),
                   .micro_steps = settings.size.gradient_accumulation_steps,
                   .clip_grad_norm = settings.recipe.clip_grad_norm,
                   .precision = settings.parallel.precision,
                   .weight_copies = keeps_weight_copies(settings),
                   .exchanges_gradients = catalogue::exchanges(settings.parallel.strategy)},
          .schedule = schedule_of(settings.recipe, planned_steps),
          .graph = settings.parallel.cuda_graphs ? device.new_graph() : nullptr});
  seed_draws(settings.recipe.seed, device.torch_device(), ranks);
  return trainer;
}

namespace {

void visit_generator(const std::string& name, c10::Device device, training::StateVisitor& visitor) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  at::Tensor state = generator.get_state();
  visitor.visit(name, state);
  generator.set_state(state);
}

class Copying final : public training::StateVisitor {
 public:
  void visit(const std::string& name, at::Tensor& tensor) override {
    copy[name] = tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false,
                                    /*copy=*/true);
  }
  void visit(const std::string& name, std::int64_t& number) override {
    copy[name] = at::scalar_tensor(number, at::kLong);
  }

  workloads::NamedTensors copy;
};

class StateRestorer final : public training::StateVisitor {
 public:
  StateRestorer(const workloads::NamedTensors& copy, const std::string& origin)
      : copy_(copy), origin_(origin) {}

  void visit(const std::string& name, at::Tensor& tensor) override {
    const at::Tensor& kept = find(name);
    if (kept.sizes() != tensor.sizes() || kept.scalar_type() != tensor.scalar_type()) {
      throw bad_data(origin_ + ": " + name + " has another shape or type than this training's");
    }
    const at::NoGradGuard no_grad;
    tensor.copy_(kept);
  }
  void visit(const std::string& name, std::int64_t& number) override {
    number = find(name).item<std::int64_t>();
  }

 private:
  // Until version 0.9 the piece of a parameter had the parameter's name in a rank's copy.
  const at::Tensor& find(const std::string& name) const {
    auto found = copy_.find(name);
    const auto piece = training::piece_named(name);
    if (found == copy_.end() && piece) found = copy_.find(piece->whole);
    if (found == copy_.end()) throw bad_data(origin_ + " holds no " + name);
    return found->second;
  }

  const workloads::NamedTensors& copy_;
  const std::string& origin_;
};

}  // namespace

void visit_state(const RunState& state, training::StateVisitor& visitor) {
  const std::int64_t position = state.step.consumed().batches;
  state.step.visit_state(visitor);
  visit_generator("random.cpu", at::kCPU, visitor);
  if (!state.device.is_cpu()) visit_generator("random.device", state.device, visitor);
  if (state.epoch) visitor.visit("epoch", *state.epoch);
  const std::int64_t moved_to = state.step.consumed().batches;
  if (state.source && moved_to != position) state.source->seek(moved_to);
}

workloads::NamedTensors copy_of(const RunState& state) {
  Copying copying;
  visit_state(state, copying);
  return std::move(copying.copy);
}

void put_back(const workloads::NamedTensors& copy, const RunState& state,
              const std::string& origin) {
  StateRestorer putting_back(copy, origin);
  visit_state(state, putting_back);
}

}  // namespace scalemark::running
