#include "report/judge/point/rank_steps.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "core/statistics/compare.h"
#include "core/statistics/summary.h"
#include "report/record/point_facts.h"

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

// Splits the values into parts that are as equal as can be. With fewer values than parts there are
// none.
std::vector<double> means_of_parts(std::span<const double> values, std::size_t parts) {
  std::vector<double> means;
  for (std::size_t i = 0; i < parts && values.size() >= parts; ++i) {
    const std::size_t begin = i * values.size() / parts, end = (i + 1) * values.size() / parts;
    means.push_back(statistics::mean(values.subspan(begin, end - begin)));
  }
  return means;
}

// `own_s`: step less exposed communication, for each step.
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

bool keeps_loss_at(std::int64_t step) {
  if (step < 1) return false;
  const auto number = static_cast<std::uint64_t>(step);
  const int digits = std::bit_width(number) - std::countr_zero(number);
  return digits <= 4;
}

namespace {

using Ranks = std::span<const RankMeasurement>;

// Splits exposed communication into its two parts. Needs each step's slowest rank.
void set_parts(PointRecord& point, std::span<const double> exposed_batches) {
  if (!has_exchange(point) || !point.own_mean_s || !point.own_mean_of_step_max_s) return;
  point.communication.peer_wait_s = *point.own_mean_of_step_max_s - *point.own_mean_s;
  point.communication.network_s = point.step_mean_over_ranks_s - *point.own_mean_of_step_max_s;
  if (const auto interval = statistics::mean_interval(exposed_batches)) {
    point.communication.exposed_ci95 = {interval->low, interval->high};
  }
}

void refuse_unequal_blocks(Ranks ranks) {
  const std::size_t blocks = ranks.front().cost_blocks.size();
  for (const RankMeasurement& rank : ranks) {
    if (rank.cost_blocks.size() != blocks) throw bug("ranks with different numbers of blocks");
  }
}

// Returns T of each block, which is the slowest rank's, as for a window.
std::vector<double> step_of_blocks(Ranks ranks) {
  std::vector<double> step_s(ranks.front().cost_blocks.size(), 0.0);
  for (const RankMeasurement& rank : ranks) {
    for (std::size_t i = 0; i < step_s.size(); ++i) {
      step_s[i] = std::max(step_s[i], rank.cost_blocks[i].step_s);
    }
  }
  return step_s;
}

// Returns the own time of each block, the mean over ranks, or nothing where a rank has no phases.
std::optional<std::vector<double>> own_of_blocks(Ranks ranks) {
  std::vector<double> own_s(ranks.front().cost_blocks.size(), 0.0);
  for (const RankMeasurement& rank : ranks) {
    for (std::size_t i = 0; i < own_s.size(); ++i) {
      if (!rank.cost_blocks[i].own_s) return std::nullopt;
      own_s[i] += *rank.cost_blocks[i].own_s / static_cast<double>(ranks.size());
    }
  }
  return own_s;
}

void set(const statistics::AbbaEstimate& estimate, std::optional<double>& value, Bounds& ci95) {
  value = estimate.value;
  if (estimate.ci95) ci95 = {estimate.ci95->low, estimate.ci95->high};
}

double mean_without(const std::vector<statistics::AbbaQuadruple>& quadruples) {
  double sum = 0;
  for (const auto& quadruple : quadruples) sum += quadruple.without;
  return sum / static_cast<double>(quadruples.size());
}

void set_cost(PointRecord& point, Ranks ranks) {
  auto& to = point.communication;
  const auto steps = statistics::abba_quadruples(step_of_blocks(ranks));
  point.noop_step_s = mean_without(steps);
  set(statistics::abba_difference(steps), to.cost_s, to.cost_ci95);
  set(statistics::abba_ratio(steps), to.efficiency, to.efficiency_ci95);
  const auto own_s = own_of_blocks(ranks);
  if (!own_s) return;
  const auto own = statistics::abba_quadruples(*own_s);
  set(statistics::abba_difference(own), to.contention_s, to.contention_ci95);
  to.noop_imbalance_s = *point.noop_step_s - mean_without(own);
}

}  // namespace

void set_communication(PointRecord& point, Ranks ranks, std::span<const double> exposed_batches) {
  point.communication = {};
  point.noop_step_s.reset();
  set_parts(point, exposed_batches);
  refuse_unequal_blocks(ranks);
  for (const RankMeasurement& rank : ranks) {
    auto& to = point.communication;  // std::optional orders nullopt before any value
    to.alone_s = std::max(to.alone_s, rank.exchange_alone_s);
    to.latency_s = std::max(to.latency_s, rank.exchange_latency_s);
  }
  if (!has_exchange(point) || ranks.front().cost_blocks.empty()) return;
  set_cost(point, ranks);
}

}  // namespace scalemark::reporting
