#include "core/plan/collectives/collective_plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ranges>
#include <utility>

#include "core/base/digest.h"
#include "core/catalogue/backends.h"
#include "core/collectives/bandwidth.h"
#include "core/plan/order.h"
#include "core/plan/plan.h"

namespace scalemark::planning {

std::vector<std::vector<std::pair<int, int>>> round_robin(int nodes) {
  const int seats = nodes + nodes % 2;  // whoever meets the empty seat pauses
  std::vector<int> circle(static_cast<std::size_t>(seats));
  std::iota(circle.begin(), circle.end(), 0);
  std::vector<std::vector<std::pair<int, int>>> rounds;
  for (int round = 0; round + 1 < seats; ++round) {
    auto& pairs = rounds.emplace_back();
    for (std::size_t i = 0; i < circle.size() / 2; ++i) {
      const auto [a, b] = std::minmax(circle[i], circle[circle.size() - 1 - i]);
      if (b < nodes) pairs.emplace_back(a, b);
    }
    // The first one keeps its seat, the others move on by one.
    std::rotate(circle.begin() + 1, circle.end() - 1, circle.end());
  }
  return rounds;
}

std::vector<std::vector<std::pair<int, int>>> rail_rounds(const std::vector<int>& node_of_rank) {
  std::vector<std::vector<int>> ranks_of;
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank) {
    const auto node = static_cast<std::size_t>(node_of_rank[rank]);
    ranks_of.resize(std::max(ranks_of.size(), node + 1));
    ranks_of[node].push_back(static_cast<int>(rank));
  }
  std::vector<std::vector<std::pair<int, int>>> rounds;
  for (const auto& nodes : round_robin(static_cast<int>(ranks_of.size()))) {
    auto& pairs = rounds.emplace_back();
    for (const auto& [a, b] : nodes) {
      const auto& one = ranks_of[static_cast<std::size_t>(a)];
      const auto& other = ranks_of[static_cast<std::size_t>(b)];
      for (std::size_t place = 0; place < std::min(one.size(), other.size()); ++place) {
        pairs.emplace_back(one[place], other[place]);
      }
    }
  }
  return rounds;
}

LinkCount count_links(const std::vector<int>& node_of_rank, settings::PairBy by) {
  std::map<int, std::int64_t> ranks_of;
  for (const int node : node_of_rank) ++ranks_of[node];
  LinkCount count{.nodes = static_cast<int>(ranks_of.size())};
  const std::size_t ends = count.nodes > 1 ? ranks_of.size() : node_of_rank.size();
  std::vector<std::int64_t> places(ends, 1);  // at how many places an end meets each other end
  if (count.nodes > 1 && by == settings::PairBy::kRank) {
    std::ranges::copy(ranks_of | std::views::values, places.begin());
  }
  std::ranges::sort(places);
  for (std::size_t i = 0; i < ends; ++i) {
    count.links += places[i] * static_cast<std::int64_t>(ends - 1 - i);
  }
  count.rounds = static_cast<int>(ends - 1 + ends % 2);
  return count;
}

std::vector<CollectiveBatch> batches_of_block(const CollectivePlan& plan, int k) {
  std::map<std::pair<std::string, std::vector<int>>, std::size_t> known;
  std::vector<CollectiveBatch> batches;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const CollectivePoint& point = plan.points[i];
    if (point.skipped) continue;
    const auto [place, is_new] = known.try_emplace({point.backend, point.members}, batches.size());
    if (is_new) {
      batches.push_back({.name = "block" + std::to_string(k) + "-" + point.backend + "-" +
                                 std::to_string(batches.size()),
                         .backend = point.backend,
                         .members = point.members,
                         .repetition = k,
                         .points = {}});
    }
    batches[place->second].points.push_back(i);
  }
  std::mt19937_64 random(plan.seed + static_cast<std::uint64_t>(k));
  shuffle(batches, random);
  for (CollectiveBatch& batch : batches) shuffle(batch.points, random);
  return batches;
}

void assign_members(CollectivePlan& plan, const std::vector<int>& node_of_rank) {
  for (CollectivePoint& point : plan.points) {
    point.members = members(point.world_size, node_of_rank, point.placement);
  }
}

std::string run_id(const CollectivePoint& point, int repetition) {
  return point.group + "/r" + std::to_string(repetition);
}

namespace {

// Work that runs beside a collective takes its share of the machine.
constexpr double kBesideOthers = 2;

// 30 round trips, and messages for 0.15 s at most.
constexpr double kPairRound_s = 0.2;

double start_s(settings::DeviceKind device) { return device == settings::DeviceKind::kCpu ? 1 : 8; }

}  // namespace

double estimated_call_s(const CollectivePoint& point) {
  const catalogue::Backend* known = catalogue::find_backend(point.backend);
  const catalogue::Backend backend = known ? *known : catalogue::Backend{};
  const double factor = collectives::bus_factor(point.collective, point.world_size).value_or(0);
  const double alone =
      backend.latency_s + factor * static_cast<double>(point.bytes()) / backend.bytes_per_s;
  return alone * (point.overlap_compute || point.congestion ? kBesideOthers : 1);
}

double estimated_s(const CollectivePlan& plan) {
  if (plan.pairs) {
    return start_s(plan.device) + kGroupSetup_s +
           kPairRound_s * plan.pairs->passes * plan.pairs->pass.rounds;
  }
  double block = 0;
  for (const CollectiveBatch& batch : batches_of_block(plan, 0)) {
    block += kGroupSetup_s;
    for (const std::size_t point : batch.points) {
      block += std::max(kLeastCollectiveRun_s, kFewestCalls * estimated_call_s(plan.points[point]));
    }
  }
  return start_s(plan.device) + plan.repetitions * block;
}

namespace {

using nlohmann::json;

// Every rank must have this in common: it leaves out the members, which are known only when the
// ranks have met, and reasons, which name a machine's own numbers.
json identity_json(const CollectivePoint& point) {
  return {{"group", point.group},
          {"collective", name_of(point.collective)},
          {"backend", point.backend},
          {"via", name_of(point.via)},
          {"dtype", name_of(point.dtype)},
          {"elements", point.elements},
          {"bytes", point.bytes()},
          {"world_size", point.world_size},
          {"placement", name_of(point.placement)},
          {"in_place", point.in_place},
          {"overlap_compute", point.overlap_compute},
          {"congestion", point.congestion},
          {"skipped", point.skipped.has_value()}};
}

json plan_json(const CollectivePlan& plan) {
  json object = {{"world_size", plan.world_size},
                 {"repetitions", plan.repetitions},
                 {"seed", plan.seed},
                 {"device", name_of(plan.device)},
                 {"points", json::array()}};
  for (const CollectivePoint& point : plan.points) object["points"].push_back(identity_json(point));
  if (plan.pairs)
    object["pairs"] = {{"backend", plan.pairs->backend},
                       {"by", name_of(plan.pairs->by)},
                       {"passes", plan.pairs->passes}};
  return object;
}

}  // namespace

std::string to_json(const CollectivePlan& plan) {
  json object = plan_json(plan);
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    json& point = object["points"][i];
    point["members"] = plan.points[i].members;
    point.erase("skipped");
    if (plan.points[i].skipped) point["skipped"] = *plan.points[i].skipped;
  }
  const auto points = std::ranges::count_if(
      plan.points, [](const CollectivePoint& point) { return !point.skipped; });
  object["runs"] = points * plan.repetitions;
  if (plan.pairs) {
    object["pairs"]["nodes"] = plan.pairs->pass.nodes;
    object["pairs"]["links"] = plan.pairs->pass.links;
    object["pairs"]["rounds"] = plan.pairs->pass.rounds;
  }
  object["notes"] = plan.notes;
  object["estimated_s"] = estimated_s(plan);
  object["fingerprint"] = plan_digest(plan);
  return object.dump(1);
}

std::string plan_digest(const CollectivePlan& plan) {
  return sha256_hex(plan_json(plan).dump()).substr(0, 16);
}

}  // namespace scalemark::planning
