// Delays planted into a real training step, at the step's interfaces: its network, where its
// batches come from, its gradient synchronisation. The product knows nothing of them.
#pragma once

#include <functional>
#include <memory>

#include "data/load/batch.h"
#include "engine/step/strategy.h"
#include "workloads/networks/network.h"

namespace scalemark::testing {

// Seconds that this rank sleeps in each step; read at every step.
struct Plant {
  double compute_s = 0;        // it sleeps before forward's own work
  double data_s = 0;           // it sleeps before the batch is handed out
  double communication_s = 0;  // it sleeps between the last bucket's mark and its all-reduce
};

// Sleeps without using the CPU; ends at most tens of microseconds late on an idle core.
void sleep_for(double seconds);

std::unique_ptr<workloads::Network> with_delay(std::unique_ptr<workloads::Network> network,
                                               const Plant& plant);
std::function<data::Batch()> with_delay(std::function<data::Batch()> next_batch,
                                        const Plant& plant);
std::unique_ptr<training::Strategy> with_delay(std::unique_ptr<training::Strategy> strategy,
                                               const Plant& plant);

}  // namespace scalemark::testing
