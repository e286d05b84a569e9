#include "core/plan/collectives/collective_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/digest.h"
#include "core/catalogue/backends.h"
#include "core/collectives/bandwidth.h"
#include "core/plan/collectives/support.h"
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

std::string point_name(const CollectivePoint& point, const std::string& size) {
  std::string name(name_of(point.collective));
  if (point.collective != collectives::Collective::kBarrier) {
    name += "-" + size + "-" + std::string(name_of(point.dtype));
  }
  name += "-w" + std::to_string(point.world_size) + "-" + point.backend;
  if (point.via == collectives::Via::kDirect) name += "-direct";
  if (point.in_place != usually_in_place(point.collective)) {
    name += point.in_place ? "-in-place" : "-out-of-place";
  }
  if (point.overlap_compute) name += "-overlap-compute";
  if (point.congestion) name += "-congestion";
  if (point.placement == settings::Placement::kSpread) name += "-spread";
  if (point.parts > 1) {
    name += "-part-" + std::to_string(point.part + 1) + "-of-" + std::to_string(point.parts);
  }
  return name;
}

std::vector<std::vector<CollectivePoint>> points_of_parts(
    const PairPlan& pairs, settings::DeviceKind device, const std::vector<int>& node_of_rank,
    const std::vector<double>& slowest_link_of_node) {
  constexpr std::int64_t kMiB = 1 << 20;
  constexpr double kLongest_s = 0.1;
  constexpr int kMostHalvings = 6;
  std::vector<std::vector<CollectivePoint>> divisions;
  for (const auto& parts : drawn_parts(node_of_rank, pairs.seed)) {
    auto& points = divisions.emplace_back();
    for (const Part& part : parts) {
      const auto ranks = std::ssize(part);
      std::int64_t bytes = device == settings::DeviceKind::kCpu
                               ? 16 * kMiB
                               : std::clamp(4 * kMiB * ranks, 256 * kMiB, 8192 * kMiB);
      double bytes_per_s = std::numeric_limits<double>::infinity();
      for (const int rank : part) {
        const int node = node_of_rank.at(static_cast<std::size_t>(rank));
        bytes_per_s =
            std::min(bytes_per_s, slowest_link_of_node.at(static_cast<std::size_t>(node)));
      }
      for (int i = 0; i < kMostHalvings; ++i) {
        if (2 * static_cast<double>(bytes) > kLongest_s * bytes_per_s) bytes /= 2;
      }
      CollectivePoint& point = points.emplace_back();
      point.backend = pairs.backend;
      point.elements = bytes / collectives::bytes_of(point.dtype);
      point.world_size = static_cast<int>(ranks);
      point.members = part;
      point.part = static_cast<int>(points.size()) - 1;
      point.parts = static_cast<int>(parts.size());
      point.group = point_name(point, collectives::to_text({.count = point.bytes()}));
    }
  }
  return divisions;
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

double estimated_run_s(const CollectivePoint& point) {
  return std::max(kLeastCollectiveRun_s, kFewestCalls * estimated_call_s(point));
}

std::int64_t buffer_bytes(const CollectivePoint& point) {
  return collectives::buffer_bytes(
      {.collective = point.collective, .world_size = point.world_size, .elements = point.elements},
      point.dtype, point.in_place);
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
    for (const std::size_t point : batch.points) block += estimated_run_s(plan.points[point]);
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
