#include "engine/comm/links/parts_run.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "core/catalogue/backends.h"
#include "core/statistics/summary.h"
#include "engine/comm/links/pairs_run.h"
#include "engine/process/machines.h"
#include "report/record/report.h"

namespace scalemark::communicating {
namespace {

using planning::CollectivePoint;

// The place of a run among divisions, runs and parts, and what it gave.
struct RunOfPart {
  std::size_t division = 0;
  int repetition = 0;
  std::size_t part = 0;
  std::string started;
  CollectiveOutcome outcome;
  auto place() const { return std::tuple(division, repetition, part); }
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RunOfPart>& r) {
  a.values(r.division, r.repetition, r.part, r.started, r.outcome);
}

// Collective over the ranks of a part. Its own group waits for the other parts before each run.
std::vector<RunOfPart> measure_part(process::RankContext& context, process::RankGroup& rank_group,
                                    const CollectivePoint& point, std::size_t division,
                                    const std::function<void()>& between) {
  std::vector<RunOfPart> runs;
  auto& telemetry = process::fresh_telemetry(context, rank_group.leads_node());
  const Surroundings around{.rank_group = rank_group, .between = between, .telemetry = &telemetry};
  for (int repetition = 0; repetition < planning::kRunsOfParts; ++repetition) {
    context.control().barrier();
    RunOfPart& run = runs.emplace_back();
    run.division = division;
    run.repetition = repetition;
    run.part = static_cast<std::size_t>(point.part);
    run.started = reporting::utc_now();
    run.outcome = measure(point, around);
    context.device().release_cached_memory();
  }
  if (rank_group.world().rank != 0) runs.clear();
  return runs;
}

}  // namespace

MeasuredLinks::MeasuredLinks(const std::vector<reporting::LinkRecord>& links,
                             const std::vector<reporting::LinkEnd>& ends,
                             std::vector<int> node_of_rank)
    : node_of_rank_(std::move(node_of_rank)) {
  std::map<std::string, std::map<int, std::vector<double>>> rates;  // by host and rank
  for (const reporting::LinkRecord& link : links) {
    by_rank_ = by_rank_ || link.a_rank;
    rates[link.a][link.a_rank.value_or(0)].push_back(link.bandwidth_GBps);
    rates[link.b][link.b_rank.value_or(0)].push_back(link.bandwidth_GBps);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const auto node = static_cast<std::size_t>(
        ends[i].rank ? node_of_rank_.at(static_cast<std::size_t>(*ends[i].rank))
                     : static_cast<int>(i));
    nodes_.resize(std::max(nodes_.size(), node + 1));
    Node& one = nodes_[node];
    if (one.all_ranks.is_measured) continue;
    for (const auto& [rank, GBps] : rates[ends[i].name]) {
      one.all_ranks.is_measured = true;
      one.all_ranks.Gbit_per_s += 8 * statistics::median(GBps);
      const double least = *std::ranges::min_element(GBps);
      one.slowest_GBps = one.slowest_GBps > 0 ? std::min(one.slowest_GBps, least) : least;
    }
    one.all_ranks.ports = static_cast<int>(rates[ends[i].name].size());
  }
}

std::optional<collectives::NodeNetwork> MeasuredLinks::network_of(
    const planning::CollectivePoint& point) const {
  std::optional<collectives::NodeNetwork> slowest;
  std::map<std::size_t, int> ranks;  // counts those of each node
  for (const int member : point.members) {
    const auto node = static_cast<std::size_t>(node_of_rank_.at(static_cast<std::size_t>(member)));
    const bool several = ++ranks[node] > 1;
    if (several && !by_rank_ && catalogue::needs_one_rank_per_gpu(point.backend))
      return std::nullopt;
    if (node >= nodes_.size() || !nodes_[node].all_ranks.is_measured) return std::nullopt;
    const auto& network = nodes_[node].all_ranks;
    if (!slowest || network.Gbit_per_s < slowest->Gbit_per_s) slowest = network;
  }
  return slowest;
}

std::vector<double> MeasuredLinks::slowest_of_node() const {
  std::vector<double> slowest;
  for (const Node& node : nodes_) slowest.push_back(1e9 * node.slowest_GBps);
  return slowest;
}

std::vector<MeasuredPart> measure_parts(process::RankContext& context,
                                        const std::vector<std::vector<CollectivePoint>>& divisions,
                                        const std::function<void()>& between) {
  std::vector<RunOfPart> mine;
  for (std::size_t division = 0; division < divisions.size(); ++division) {
    for (const CollectivePoint& point : divisions[division]) {
      const std::string name = "division " + std::to_string(division) + ", " + point.group;
      with_link_group(context, name, point.members, point.backend, [&](const LinkGroup& group) {
        std::ranges::move(measure_part(context, group.rank_group, point, division, between),
                          std::back_inserter(mine));
      });
    }
  }
  std::vector<RunOfPart> all;
  for (auto& of_rank : distributed::gathered(context.control(), mine))
    std::ranges::move(of_rank, std::back_inserter(all));
  std::ranges::sort(all, {}, &RunOfPart::place);
  std::vector<MeasuredPart> measured;
  for (RunOfPart& run : all) {
    measured.push_back({.point = divisions[run.division].at(run.part),
                        .repetition = run.repetition,
                        .started = std::move(run.started),
                        .outcome = std::move(run.outcome)});
  }
  return measured;
}

}  // namespace scalemark::communicating
