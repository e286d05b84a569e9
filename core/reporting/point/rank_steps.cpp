#include "core/reporting/point/rank_steps.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

void refuse_odd_series(const RankMeasurement& rank) {
  const RankSeries& series = rank.series;
  const std::size_t n = series.step_s.size(), marked = rank.record.phases_s ? n : 0;
  if (series_fits(static_cast<std::int64_t>(n), rank) &&
      series.exposed_communication_s.size() == marked &&
      series.counted_data_wait_s.size() == marked) {
    return;
  }
  throw bug("rank " + std::to_string(rank.record.rank) +
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

// `own_s`: step - exposed communication, of each step.
void summarise_marked(RankMeasurement& rank, const std::vector<double>& own_s) {
  RankRecord& record = rank.record;
  double sum_ln = 0;
  for (const double own : own_s) sum_ln += own > 0 ? std::log(own) : -INFINITY;
  record.own_mean_s = statistics::mean(own_s);
  record.own_mean_ln.reset();
  if (std::isfinite(sum_ln)) record.own_mean_ln = sum_ln / static_cast<double>(own_s.size());
  record.data_wait_s = statistics::mean(rank.series.counted_data_wait_s);
  record.exposed_communication_s = statistics::mean(rank.series.exposed_communication_s);
  rank.exposed_batches = means_of_parts(rank.series.exposed_communication_s, kExposedBatches);
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

StepSeries condense(RankMeasurement& rank) {
  refuse_odd_series(rank);
  const RankSeries& mine = rank.series;
  rank.record.step_s = summary_of(mine.step_s, rank.steps_per_mark);
  StepSeries series{.max_step_s = mine.step_s, .max_wall_s = mine.stretch_wall_s};
  if (series.max_wall_s.empty()) series.max_wall_s = {rank.record.wall_s};
  if (!rank.record.phases_s) return series;
  for (std::size_t t = 0; t < mine.step_s.size(); ++t) {
    const double own = mine.step_s[t] - mine.exposed_communication_s[t];
    series.max_own_s.push_back(own);
    series.max_own_less_wait_s.push_back(own - mine.counted_data_wait_s[t]);
  }
  summarise_marked(rank, series.max_own_s);
  return series;
}

void take_largest(StepSeries& all, const StepSeries& more) {
  take_largest(all.max_step_s, more.max_step_s);
  take_largest(all.max_own_s, more.max_own_s);
  take_largest(all.max_own_less_wait_s, more.max_own_less_wait_s);
  take_largest(all.max_wall_s, more.max_wall_s);
}

}  // namespace scalemark::reporting
