#include "engine/running/results/series_over_ranks.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/error.h"

namespace scalemark::running {

void take_largest(reporting::StepSeries& series, distributed::ControlGroup& control, bool counts) {
  const auto steps = static_cast<double>(series.max_step_s.size());
  const auto stretches = static_cast<double>(series.max_wall_s.size());
  std::vector<double> most_and_least{steps, -steps, stretches, -stretches};
  control.max_over_ranks(most_and_least);
  if (most_and_least[0] != -most_and_least[1] || most_and_least[2] != -most_and_least[3]) {
    throw bug("ranks with different numbers of steps or stretches");
  }
  for (auto* values :
       {&series.max_step_s, &series.max_own_s, &series.max_own_less_wait_s, &series.max_wall_s}) {
    if (!counts) std::ranges::fill(*values, std::numeric_limits<double>::lowest());
    control.max_over_ranks(*values);
  }
}

}  // namespace scalemark::running
