#include "core/planning/collectives/plan_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/digest.h"
#include "core/planning/collectives/estimates.h"

namespace scalemark::planning {
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
  object["fingerprint"] = plan_fingerprint(plan);
  return object.dump(1);
}

std::string plan_fingerprint(const CollectivePlan& plan) {
  return sha256_hex(plan_json(plan).dump()).substr(0, 16);
}

}  // namespace scalemark::planning
