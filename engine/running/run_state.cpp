#include "engine/running/run_state.h"

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <mutex>

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
  Copying(std::map<std::string, at::Tensor>& tensors, std::map<std::string, std::int64_t>& numbers)
      : tensors_(tensors), numbers_(numbers) {}

  void visit(const std::string& name, at::Tensor& tensor) override {
    tensors_[name] = tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false,
                                        /*copy=*/true);
  }
  void visit(const std::string& name, std::int64_t& number) override { numbers_[name] = number; }

 private:
  std::map<std::string, at::Tensor>& tensors_;
  std::map<std::string, std::int64_t>& numbers_;
};

class PuttingBack final : public training::StateVisitor {
 public:
  PuttingBack(const std::map<std::string, at::Tensor>& tensors,
              const std::map<std::string, std::int64_t>& numbers)
      : tensors_(tensors), numbers_(numbers) {}

  void visit(const std::string& name, at::Tensor& tensor) override {
    const at::NoGradGuard no_grad;
    tensor.copy_(tensors_.at(name));
  }
  void visit(const std::string& name, std::int64_t& number) override { number = numbers_.at(name); }

 private:
  const std::map<std::string, at::Tensor>& tensors_;
  const std::map<std::string, std::int64_t>& numbers_;
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

StateCopy::StateCopy(const RunState& state) {
  Copying copying(tensors_, numbers_);
  visit_state(state, copying);
}

void StateCopy::put_back(const RunState& state) const {
  PuttingBack putting_back(tensors_, numbers_);
  visit_state(state, putting_back);
}

}  // namespace scalemark::running
