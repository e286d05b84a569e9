#include "core/plan/collectives/collective_plan.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/digest.h"
#include "core/catalogue/backends.h"
#include "core/collectives/bandwidth.h"
#include "core/plan/order.h"
#include "core/plan/plan.h"

namespace scalemark::planning {

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

// Verified and timed calls, and the time for which other users of the machines are watched.
constexpr double kRunOfParts_s = 2;

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
           kPairRound_s * plan.pairs->passes * plan.pairs->pass.rounds +
           plan.pairs->divisions * (kGroupSetup_s + kRunsOfParts * kRunOfParts_s);
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
    object["pairs"]["divisions"] = plan.pairs->divisions;
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
