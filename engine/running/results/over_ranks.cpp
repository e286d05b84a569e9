#include "engine/running/results/over_ranks.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "engine/running/results/loss_course.h"
#include "engine/running/results/measurement_wire.h"

namespace scalemark::running {
namespace {

// Less than the times of any rank.
void yield_to_ranks(reporting::StepSeries& series) {
  for (auto* values :
       {&series.max_step_s, &series.max_own_s, &series.max_own_less_wait_s, &series.max_wall_s}) {
    std::ranges::fill(*values, std::numeric_limits<double>::lowest());
  }
}

void take_largest(reporting::StepSeries& series, process::RankGroup& rank_group) {
  const auto steps = static_cast<double>(series.max_step_s.size());
  const auto stretches = static_cast<double>(series.max_wall_s.size());
  std::vector<double> most_and_least{steps, -steps, stretches, -stretches};
  rank_group.max_over_ranks(most_and_least);
  if (most_and_least[0] != -most_and_least[1] || most_and_least[2] != -most_and_least[3]) {
    throw bug("ranks with different numbers of steps or stretches");
  }
  rank_group.max_over_ranks(series.max_step_s);
  rank_group.max_over_ranks(series.max_own_s);
  rank_group.max_over_ranks(series.max_own_less_wait_s);
  rank_group.max_over_ranks(series.max_wall_s);
}

}  // namespace

OverRanks over_ranks(reporting::RankMeasurement measured, process::RankGroup& rank_group,
                     bool serves) {
  OverRanks all{.series = reporting::series_of(measured)};
  if (serves) yield_to_ranks(all.series);
  take_largest(all.series, rank_group);
  const auto summary = reporting::condensed(std::move(measured));
  for (const std::string& bytes : rank_group.control().gather(to_wire(summary))) {
    all.ranks.push_back(from_wire(bytes));
  }
  average_losses(all.ranks);
  return all;
}

}  // namespace scalemark::running
