#include "engine/running/communication_cost.h"

#include <algorithm>

#include "core/planning/estimates.h"

namespace scalemark::running {
namespace {

reporting::CostBlock cost_block(const Window& window, std::int64_t steps) {
  return {.step_s = window.wall_s / static_cast<double>(steps),
          .own_s = measurement::mean_own_s(window.steps)};
}

}  // namespace

CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const RunState& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window,
                                                          std::int64_t period) {
  using enum training::Exchange;
  const std::int64_t steps = planning::cost_block_steps(window.steps, period);
  // Marked as the window is: the marks' own cost is in both, so that they can be compared.
  const WindowPlan block_plan{.steps = steps,
                              .steps_per_mark = std::min(window.steps_per_mark, steps)};
  const workloads::NamedTensors before = copy_of(state);
  CommunicationCostBlocks result;
  const auto block = [&](training::Exchange exchange, const char* name) {
    if (result.stopped) return;
    context.step.strategy().set_exchange(exchange);
    const Window measured = measure(context, name, block_plan);
    result.stopped = measured.stopped;
    result.blocks.push_back(cost_block(measured, steps));
  };
  for (std::int64_t i = 0; i < planning::kCostBlocks; i += 4) {
    block(usual, "with communication");
    block(kNone, "without communication");
    block(kNone, "without communication");
    block(usual, "with communication");
  }
  put_back(before, state, "the state before the measurement");
  return result;
}

}  // namespace scalemark::running
