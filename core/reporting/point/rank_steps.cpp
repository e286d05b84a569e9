#include "core/reporting/point/rank_steps.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

void refuse_odd_series(const RankMeasurement& rank) {
  const std::size_t n = rank.step_s.size(), marked = rank.phases_s ? n : 0;
  if (series_fits(static_cast<std::int64_t>(n), rank) &&
      rank.exposed_communication_s.size() == marked && rank.counted_data_wait_s.size() == marked) {
    return;
  }
  throw bug("rank " + std::to_string(rank.rank) +
            ": its series do not hold one value for each of " + std::to_string(rank.iterations) +
            " steps");
}

// Parts are as equal as can be; there are none of fewer values than parts.
std::vector<double> means_of_parts(std::span<const double> values, std::size_t parts) {
  std::vector<double> means;
  for (std::size_t i = 0; i < parts && values.size() >= parts; ++i) {
    const std::size_t begin = i * values.size() / parts, end = (i + 1) * values.size() / parts;
    means.push_back(statistics::mean(values.subspan(begin, end - begin)));
  }
  return means;
}

RankSteps steps_of(const RankMeasurement& rank) {
  refuse_odd_series(rank);
  RankSteps steps;
  steps.step_s = summary_of(rank.step_s, rank.steps_per_mark);
  if (!rank.phases_s) return steps;
  double sum = 0, sum_ln = 0;
  for (std::size_t t = 0; t < rank.step_s.size(); ++t) {
    const double own = rank.step_s[t] - rank.exposed_communication_s[t];
    sum += own;
    sum_ln += own > 0 ? std::log(own) : -INFINITY;
  }
  const auto n = static_cast<double>(rank.step_s.size());
  steps.own_mean_s = sum / n;
  if (std::isfinite(sum_ln)) steps.own_mean_ln = sum_ln / n;
  steps.data_wait_s = statistics::mean(rank.counted_data_wait_s);
  steps.exposed_communication_s = statistics::mean(rank.exposed_communication_s);
  steps.exposed_batches = means_of_parts(rank.exposed_communication_s, kExposedBatches);
  return steps;
}

void take_largest(std::vector<double>& all, const std::vector<double>& more) {
  if (all.size() != more.size()) throw bug("ranks with different numbers of steps or stretches");
  for (std::size_t t = 0; t < all.size(); ++t) all[t] = std::max(all[t], more[t]);
}

}  // namespace

bool series_fits(std::int64_t values, const RankMeasurement& rank) {
  const std::int64_t marked = values * rank.steps_per_mark;
  if (rank.steps_per_mark == 1) return marked > 0 && marked == rank.iterations;
  return marked > 0 && marked <= rank.iterations;
}

Summary summary_of(const std::vector<double>& step_s, std::int64_t steps_per_mark) {
  return steps_per_mark > 1 ? statistics::summarise_means(step_s) : statistics::summarise(step_s);
}

StepSeries series_of(const RankMeasurement& rank) {
  refuse_odd_series(rank);
  StepSeries series{.max_step_s = rank.step_s, .max_wall_s = rank.stretch_wall_s};
  if (series.max_wall_s.empty()) series.max_wall_s = {rank.wall_s};
  if (!rank.phases_s) return series;
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
  take_largest(all.max_wall_s, more.max_wall_s);
}

RankSummary condensed(RankMeasurement rank) {
  RankSummary summary{.rank = {}, .steps = steps_of(rank)};
  rank.step_s = {};
  rank.exposed_communication_s = {};
  rank.counted_data_wait_s = {};
  rank.stretch_wall_s = {};
  summary.rank = std::move(rank);
  return summary;
}

}  // namespace scalemark::reporting
