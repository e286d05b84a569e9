#include "core/prediction/doubling_rule.h"

#include <cmath>

namespace scalemark::prediction {

double rule_step_s(double last_step_s, int last_world_size, int world_size, double loss) {
  const double doublings = std::log2(static_cast<double>(world_size) / last_world_size);
  return last_step_s * std::pow(1 - loss, -doublings);
}

}  // namespace scalemark::prediction
