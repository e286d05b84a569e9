#include "core/statistics/efficiency.h"

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/statistics/mean_interval.h"
#include "core/statistics/runs.h"
#include "core/statistics/summary.h"

namespace scalemark::statistics {
namespace {

std::vector<double> log_ratios(std::span<const ThroughputPair> pairs) {
  std::vector<double> ratios;
  for (const ThroughputPair& pair : pairs) {
    const auto logs = logarithms(std::vector{pair.scaled, pair.baseline});
    ratios.push_back(logs[0] - logs[1]);
  }
  return ratios;
}

}  // namespace

Efficiency paired_efficiency(std::span<const ThroughputPair> pairs, int ranks, int baseline_ranks) {
  if (pairs.empty() || ranks < 1 || baseline_ranks < 1) {
    throw bug("paired_efficiency() needs a pair and ranks from 1 on");
  }
  const std::vector<double> ratios = log_ratios(pairs);
  const double ideal = static_cast<double>(ranks) / baseline_ranks;

  Efficiency result{.pairs = pairs.size(), .speedup = std::exp(mean(ratios))};
  result.efficiency = result.speedup / ideal;
  if (const auto interval = mean_interval(ratios)) {
    result.speedup_ci95 = exponential(*interval);
    result.efficiency_ci95 =
        Interval{result.speedup_ci95->low / ideal, result.speedup_ci95->high / ideal};
  }
  return result;
}

}  // namespace scalemark::statistics
