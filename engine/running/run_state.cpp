#include "engine/running/run_state.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/scalar_tensor.h>

#include <mutex>
#include <utility>

#include "core/base/error.h"

namespace scalemark::running {
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

class PuttingBack final : public training::StateVisitor {
 public:
  PuttingBack(const workloads::NamedTensors& copy, const std::string& origin)
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
  const at::Tensor& find(const std::string& name) const {
    const auto found = copy_.find(name);
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
  PuttingBack putting_back(copy, origin);
  visit_state(state, putting_back);
}

}  // namespace scalemark::running
