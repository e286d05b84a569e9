// Communication costs a step what the same steps without it save. Definition: docs/METRICS.md,
// "Communication cost".
#pragma once

#include <vector>

#include "core/reporting/record/records.h"
#include "engine/running/run_state.h"
#include "engine/running/window.h"
#include "engine/training/strategy.h"

namespace scalemark::running {

struct CommunicationCostBlocks {
  std::vector<reporting::CostBlock> blocks;  // of this rank, in the order of measurement
  bool stopped = false;                      // an agreed stop came in between
};

// Four quadruples of short blocks (planning::cost_block_steps()), about as many steps as the window
// has, in whole `period`s of the exchange: with communication (as `usual`), without, without, with.
// Collective. Ranks that exchange nothing drift apart: `state` is put back afterwards, bit by bit,
// from a copy in host memory.
CommunicationCostBlocks measure_communication_cost_blocks(const StepContext& context,
                                                          const RunState& state,
                                                          training::Exchange usual,
                                                          const WindowPlan& window,
                                                          std::int64_t period);

}  // namespace scalemark::running
