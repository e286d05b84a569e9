#include "core/statistics/abba.h"

#include <cmath>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {

std::vector<AbbaQuadruple> abba_quadruples(std::span<const double> blocks) {
  if (blocks.empty() || blocks.size() % 4 != 0) {
    throw bug(std::to_string(blocks.size()) + " blocks are no whole quadruples");
  }
  std::vector<AbbaQuadruple> quadruples;
  for (std::size_t i = 0; i < blocks.size(); i += 4) {
    quadruples.push_back(
        {.with = (blocks[i] + blocks[i + 3]) / 2, .without = (blocks[i + 1] + blocks[i + 2]) / 2});
  }
  return quadruples;
}

AbbaEstimate abba_difference(std::span<const AbbaQuadruple> quadruples) {
  std::vector<double> differences;
  for (const auto& [with, without] : quadruples) differences.push_back(with - without);
  return {.value = mean(differences), .ci95 = mean_interval(differences)};
}

AbbaEstimate abba_ratio(std::span<const AbbaQuadruple> quadruples) {
  std::vector<double> ratios;
  for (const auto& [with, without] : quadruples) ratios.push_back(without / with);
  const RunsEstimate estimate = estimate_over_runs(ratios);
  return {.value = estimate.value, .ci95 = estimate.ci95};
}

}  // namespace scalemark::statistics
