#include "engine/running/communication_cost.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <array>

namespace scalemark::running {
namespace {

constexpr std::int64_t kFewestSteps = 5;  // of a block

class Kept {
 public:
  explicit Kept(const std::vector<at::Tensor>& state) : state_(state) {
    for (const at::Tensor& tensor : state) {
      copies_.push_back(tensor.detach().to(at::kCPU, tensor.scalar_type(), /*non_blocking=*/false,
                                           /*copy=*/true));
    }
  }

  void put_back() const {
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < copies_.size(); ++i) at::Tensor(state_[i]).copy_(copies_[i]);
  }

 private:
  const std::vector<at::Tensor>& state_;
  std::vector<at::Tensor> copies_;
};

}  // namespace

CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const std::vector<at::Tensor>& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window) {
  using enum training::Exchange;
  const std::int64_t steps = std::max(kFewestSteps, window.steps / 4);
  // Marked as the window is: the marks' own cost is in both, so that they can be compared.
  const WindowPlan block_plan{.steps = steps,
                              .steps_per_mark = std::min(window.steps_per_mark, steps)};
  const Kept kept(state);
  CommunicationCostBlocks result;
  const auto block = [&](training::Exchange exchange, const char* name) {
    if (result.stopped) return;
    context.step.sync().set_exchange(exchange);
    const Window measured = measure(context, name, block_plan);
    result.stopped = measured.stopped;
    result.step_s.push_back(measured.wall_s / static_cast<double>(steps));
  };
  block(usual, "with communication");
  block(kNone, "without communication");
  block(kNone, "without communication");
  block(usual, "with communication");
  kept.put_back();
  return result;
}

}  // namespace scalemark::running
