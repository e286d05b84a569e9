// What communication costs a step: the same steps with and without it. Definition: docs/METRICS.md,
// "Communication cost".
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/running/window.h"
#include "engine/training/gradient_sync.h"

namespace scalemark::running {

struct CommunicationCostBlocks {
  std::vector<double> step_s;  // of this rank: mean of each block
  bool stopped = false;        // an agreed stop came in between
};

// Four blocks of a quarter of the window's steps each: with communication (as `usual`), without,
// without, with. Collective. Ranks that exchange nothing drift apart: `state`, every parameter and
// buffer, is put back afterwards, from a copy in host memory.
CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const std::vector<at::Tensor>& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window);

}  // namespace scalemark::running
