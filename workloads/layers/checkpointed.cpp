#include "workloads/layers/checkpointed.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/Generator.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark::workloads {
namespace {

using torch::autograd::SavedVariable;
using torch::autograd::SavedVariableHooks;
using MakeHooks = std::function<std::unique_ptr<SavedVariableHooks>()>;

// Autograd applies these hooks to the tensors that operators now save on this thread; null:
// autograd keeps the tensors. Each thread has its own hooks, like autograd's modes: operators save
// tensors on whichever thread they run, and backward on a GPU runs on one of torch's threads.
thread_local const MakeHooks* saving = nullptr;

class SavingScope {
 public:
  explicit SavingScope(const MakeHooks& hooks) : before_(std::exchange(saving, &hooks)) {}
  ~SavingScope() { saving = before_; }
  SavingScope(const SavingScope&) = delete;
  SavingScope& operator=(const SavingScope&) = delete;

 private:
  const MakeHooks* before_;
};

// Torch asks its engine for the hooks of a saved tensor. Python's engine returns those of
// torch.autograd.graph.saved_tensors_hooks, C++'s own engine none; so this engine replaces it from
// the first use on.
class HookingEngine final : public torch::autograd::Engine {
 public:
  ~HookingEngine() override { stop(); }

  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return saving ? (*saving)() : nullptr;
  }

  static void install() {
    static std::once_flag once;
    std::call_once(once, [] { torch::autograd::set_default_engine_stub(instance); });
  }

 private:
  static Engine& instance() {
    static HookingEngine engine;
    return engine;
  }
};

// Holds the random state of the CPU and, where the input is on another device, of that device too.
class RandomState {
 public:
  explicit RandomState(c10::Device device) {
    keep(at::globalContext().defaultGenerator(at::kCPU));
    if (!device.is_cpu()) keep(at::globalContext().defaultGenerator(device));
  }

  void put_back() const {
    for (const auto& [generator, state] : states_) {
      at::Generator known = generator;
      const std::lock_guard lock(known.mutex());
      known.set_state(state);
    }
  }

 private:
  void keep(at::Generator generator) {
    const std::lock_guard lock(generator.mutex());
    states_.emplace_back(generator, generator.get_state());
  }

  std::vector<std::pair<at::Generator, at::Tensor>> states_;
};

struct AutocastMode {
  explicit AutocastMode(c10::DeviceType type)
      : device(type),
        enabled(at::autocast::is_autocast_enabled(type)),
        dtype(at::autocast::get_autocast_dtype(type)) {}

  void set() const {
    at::autocast::set_autocast_enabled(device, enabled);
    at::autocast::set_autocast_dtype(device, dtype);
  }

  c10::DeviceType device;
  bool enabled;
  at::ScalarType dtype;
};

// Keeps weights that are cast inside only while it lives, as the next pass may have other weights.
class AutocastScope {
 public:
  explicit AutocastScope(const AutocastMode& mode) : before_(mode.device) {
    mode.set();
    at::autocast::increment_nesting();
  }
  ~AutocastScope() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    before_.set();
  }
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  AutocastMode before_;
};

// One use of a part: what its second pass needs, and the tensors that the second pass has saved,
// until the nodes of the first pass take them.
class Use {
 public:
  Use(Part part, const Tensors& inputs)
      : part_(std::move(part)),
        random_(inputs.front().device()),
        autocast_(inputs.front().device().type()) {
    for (const at::Tensor& input : inputs) {
      inputs_.push_back({SavedVariable(input, /*is_output=*/false), input.requires_grad()});
    }
  }

  std::size_t drop() { return dropped_++; }

  at::Tensor take(std::size_t index) {
    // A tensor that was taken before shows that the graph was kept and backward runs once more.
    if (index >= saved_.size() || !saved_[index].defined()) run_again();
    return std::exchange(saved_[index], {});
  }

 private:
  struct Input {
    SavedVariable tensor;  // detects that somebody has written into it
    bool has_gradient;
  };

  void run_again();
  Tensors leaves() const;

  Part part_;
  std::vector<Input> inputs_;
  RandomState random_;
  AutocastMode autocast_;
  std::size_t dropped_ = 0;
  std::vector<at::Tensor> saved_;
};

class Drop final : public SavedVariableHooks {
 public:
  explicit Drop(std::shared_ptr<Use> use) : use_(std::move(use)) {}
  void call_pack_hook(const at::Tensor&) override { index_ = use_->drop(); }
  at::Tensor call_unpack_hook() override { return use_->take(index_); }

 private:
  std::shared_ptr<Use> use_;
  std::size_t index_ = 0;
};

class Collect final : public SavedVariableHooks {
 public:
  explicit Collect(std::vector<at::Tensor>& into) : into_(into) {}
  void call_pack_hook(const at::Tensor& tensor) override { into_.push_back(tensor.detach()); }
  at::Tensor call_unpack_hook() override { throw bug("backward through a second forward"); }

 private:
  std::vector<at::Tensor>& into_;
};

// Returns the inputs without their history.
Tensors Use::leaves() const {
  Tensors result;
  for (const Input& input : inputs_) {
    result.push_back(input.tensor.unpack().detach().requires_grad_(input.has_gradient));
  }
  return result;
}

// The second pass needs a graph, as operators save nothing without one; it is dropped at once.
void Use::run_again() {
  saved_.clear();
  const Tensors inputs = leaves();
  const RandomState now(inputs.front().device());
  random_.put_back();
  {
    const MakeHooks collect = [this] { return std::make_unique<Collect>(saved_); };
    const SavingScope scope(collect);
    const AutocastScope autocast(autocast_);
    const c10::AutoGradMode with_gradients(true);
    part_(inputs, Pass::kAgain);
  }
  now.put_back();
  if (saved_.size() != dropped_) {
    throw bug("a checkpointed part saved " + std::to_string(dropped_) + " tensors in its first " +
              "forward and " + std::to_string(saved_.size()) + " in its second");
  }
}

}  // namespace

Tensors checkpointed(const Part& part, const Tensors& inputs) {
  if (!c10::GradMode::is_enabled()) return part(inputs, Pass::kFirst);
  HookingEngine::install();
  const auto use = std::make_shared<Use>(part, inputs);
  const MakeHooks drop = [&use] { return std::make_unique<Drop>(use); };
  const SavingScope scope(drop);
  return part(inputs, Pass::kFirst);
}

}  // namespace scalemark::workloads
