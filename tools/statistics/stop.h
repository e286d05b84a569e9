// Makes the stop rule's inputs from simulated runs.
#pragma once

#include <span>
#include <vector>

#include "core/statistics/efficiency.h"
#include "core/statistics/runs.h"
#include "core/statistics/variance_split.h"

namespace scalemark::trials {

inline statistics::StopQuantity quantity_of(const statistics::RunsEstimate& estimate) {
  return {.repetitions = estimate.runs, .half_width = estimate.half_width, .steps = {}};
}

inline statistics::StopQuantity quantity_of(std::span<const statistics::ThroughputPair> pairs,
                                            int ranks) {
  const auto found = statistics::paired_efficiency(pairs, ranks);
  statistics::StopQuantity quantity{.repetitions = found.pairs, .half_width = {}, .steps = {}};
  if (const auto& ci95 = found.efficiency_ci95) {
    quantity.half_width = (ci95->high - ci95->low) / 2 / found.efficiency;
  }
  return quantity;
}

}  // namespace scalemark::trials
