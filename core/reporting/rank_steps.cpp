#include "core/reporting/rank_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

void refuse_odd_series(const RankMeasurement& rank) {
  const auto n = static_cast<std::size_t>(rank.iterations);
  if (n > 0 && rank.step_s.size() == n && rank.exposed_communication_s.size() == n &&
      rank.counted_data_wait_s.size() == n) {
    return;
  }
  throw bug("rank " + std::to_string(rank.rank) +
            ": its series do not hold one value for each of " + std::to_string(n) + " steps");
}

RankSteps steps_of(const RankMeasurement& rank) {
  refuse_odd_series(rank);
  RankSteps steps;
  steps.step_s = statistics::summarise(rank.step_s);
  double sum = 0, sum_ln = 0;
  for (std::size_t t = 0; t < rank.step_s.size(); ++t) {
    const double own = rank.step_s[t] - rank.exposed_communication_s[t];
    sum += own;
    sum_ln += own > 0 ? std::log(own) : -INFINITY;
  }
  steps.own_mean_s = sum / static_cast<double>(rank.iterations);
  if (std::isfinite(sum_ln)) steps.own_mean_ln = sum_ln / static_cast<double>(rank.iterations);
  steps.data_wait_s = statistics::mean(rank.counted_data_wait_s);
  steps.exposed_communication_s = statistics::mean(rank.exposed_communication_s);
  return steps;
}

void take_largest(std::vector<double>& all, const std::vector<double>& more) {
  if (all.size() != more.size()) throw bug("ranks with different numbers of steps");
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = std::max(all[t], more[t]);
}

}  // namespace

StepSeries series_of(const RankMeasurement& rank) {
  refuse_odd_series(rank);
  StepSeries series{.max_step_s = rank.step_s};
  for (std::size_t t = 0; t < rank.step_s.size(); ++t) {
    const double own = rank.step_s[t] - rank.exposed_communication_s[t];
    series.max_own_s.push_back(own);
    series.max_own_less_wait_s.push_back(own - rank.counted_data_wait_s[t]);
  }
  return series;
}

void take_largest(StepSeries& all, const StepSeries& more) {
  take_largest(all.max_step_s, more.max_step_s);
  take_largest(all.max_own_s, more.max_own_s);
  take_largest(all.max_own_less_wait_s, more.max_own_less_wait_s);
}

RankSummary condensed(RankMeasurement rank) {
  RankSummary summary{.rank = {}, .steps = steps_of(rank)};
  rank.step_s = {};
  rank.exposed_communication_s = {};
  rank.counted_data_wait_s = {};
  summary.rank = std::move(rank);
  return summary;
}

}  // namespace scalemark::reporting
