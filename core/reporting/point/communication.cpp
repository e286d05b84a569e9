#include "core/reporting/point/communication.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/reporting/record/point_facts.h"
#include "core/statistics/compare.h"
#include "core/statistics/summary.h"

namespace scalemark::reporting {
namespace {

using Ranks = std::span<const RankMeasurement>;

// The two parts of exposed communication. Needs each step's slowest rank.
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

// T of each block: like a window's, the slowest rank's.
std::vector<double> step_of_blocks(Ranks ranks) {
  std::vector<double> step_s(ranks.front().cost_blocks.size(), 0.0);
  for (const RankMeasurement& rank : ranks) {
    for (std::size_t i = 0; i < step_s.size(); ++i) {
      step_s[i] = std::max(step_s[i], rank.cost_blocks[i].step_s);
    }
  }
  return step_s;
}

// Own time of each block, mean over ranks; absent where a rank has no phases.
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
  if (!has_exchange(point) || ranks.front().cost_blocks.empty()) return;
  set_cost(point, ranks);
}

}  // namespace scalemark::reporting
