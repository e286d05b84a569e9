#include "core/statistics/break_even.h"

#include "core/reporting/sweep/runs.h"
#include "core/statistics/efficiency.h"

namespace scalemark::reporting {
namespace {

statistics::Startup startup_of(const PointRecord& point) {
  const SetupTimes& setup = point.setup_s;
  return {.setup_s = setup.rendezvous_s + setup.model_s + setup.data_s + setup.first_step_s,
          .samples_per_sec = point.samples_per_sec};
}

// Whether the parallel runs are faster beyond doubt: the 95 % interval of their speed-up lies above
// 1. One pair has none.
bool is_faster(const std::vector<SweepPair>& pairs) {
  if (pairs.empty()) return false;
  const auto found = statistics::paired_efficiency(rates_of(pairs), 1).speedup_ci95;
  return found && found->low > 1;
}

}  // namespace

std::map<std::string, double> break_even_steps(std::span<const PointRecord> points,
                                               const std::vector<SliceGroups>& slices) {
  std::map<std::string, double> steps;
  const auto runs = runs_by_group(points);
  for (const SliceGroups& slice : slices) {
    for (const std::string& row : slice.rows) {
      if (slice.baseline.empty() || row == slice.baseline) continue;
      const auto pairs = paired(runs_of(runs, slice.baseline).ok, runs_of(runs, row).ok);
      if (!is_faster(pairs)) continue;
      for (const SweepPair& pair : pairs) {
        if (pair.scaled->world_size == 1) continue;
        const auto found = statistics::break_even_steps(
            startup_of(*pair.baseline), startup_of(*pair.scaled),
            pair.scaled->wall_s / static_cast<double>(pair.scaled->iterations));
        if (found) steps[pair.scaled->id] = static_cast<double>(*found);
      }
    }
  }
  return steps;
}

}  // namespace scalemark::reporting
