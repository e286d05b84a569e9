#include "core/statistics/stop_rule.h"

#include <algorithm>

#include "core/statistics/runs.h"

namespace scalemark::statistics {

bool known_well_enough(std::span<const double> samples_per_sec, double half_width) {
  if (samples_per_sec.size() < kRepetitionsBeforeLooking) return false;
  return estimate_over_runs(samples_per_sec).half_width.value() <= half_width;
}

bool all_known_well_enough(std::span<const std::vector<double>> points, double half_width) {
  return std::ranges::all_of(
      points, [=](const std::vector<double>& runs) { return known_well_enough(runs, half_width); });
}

}  // namespace scalemark::statistics
