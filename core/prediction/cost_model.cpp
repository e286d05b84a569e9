#include "core/prediction/cost_model.h"

#include <algorithm>
#include <cmath>

namespace scalemark::prediction {

double compute_s(const CostModel& model, int world_size) {
  return model.compute_s * (1 + model.jitter_growth * std::log(world_size));
}

double communication_s(const CostModel& model, Layout layout) {
  const auto cost = [&](Algorithm algorithm) {
    return cost_s(allreduce_terms(algorithm, layout, model.payload_bytes, model.chunks),
                  model.links);
  };
  return std::min(cost(Algorithm::kRing), cost(Algorithm::kTree));
}

double step_s(const CostModel& model, int world_size, Layout layout) {
  const double exposed =
      std::max(0.0, communication_s(model, layout) - model.overlap * model.backward_s);
  return model.level * (compute_s(model, world_size) + exposed);
}

}  // namespace scalemark::prediction
