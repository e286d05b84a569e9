#include "core/planning/plan_json.h"

#include <nlohmann/json.hpp>

#include "core/planning/environments.h"
#include "core/settings/settings_json.h"

namespace scalemark::planning {
namespace {

using nlohmann::json;

template <class T>
void put(json& object, const char* name, const std::optional<T>& value) {
  if (value) object[name] = *value;
}

json point_json(const PlannedPoint& point) {
  const auto& size = point.settings.size;
  json object = {{"group", point.group},
                 {"role", name_of(point.role)},
                 {"asked", point.asked},
                 {"world_size", point.world_size},
                 {"processes", point.processes},
                 {"members", point.members},
                 {"workload", point.settings.task.workload},
                 {"strategy", point.settings.parallel.strategy},
                 {"precision", name_of(point.settings.parallel.precision)},
                 {"threads", point.settings.parallel.threads}};
  if (!environment_of(point).empty()) object["env"] = environment_of(point);
  put(object, "skipped", point.skipped);
  put(object, "batch_search", point.batch_search);
  if (!point.batch_search) {
    if (size.batch_size) object["batch_size"] = size.batch_size;
    if (size.global_batch_size) object["global_batch_size"] = size.global_batch_size;
  }
  if (size.gradient_accumulation_steps) {
    object["gradient_accumulation_steps"] = size.gradient_accumulation_steps;
  }
  if (point.skipped) return object;
  object["estimated_s"] = point.estimated_s;
  if (point.memory_estimate_bytes) {
    object["memory_estimate_bytes"] = point.memory_estimate_bytes;
  }
  object["settings"] = json::parse(settings::to_json(point.settings));
  return object;
}

json slice_json(const Slice& slice) {
  json object = {{"kind", name_of(slice.kind)}, {"fixed", slice.fixed}, {"rows", slice.rows}};
  put(object, "baseline", slice.baseline);
  put(object, "solo", slice.solo);
  return object;
}

// The sweep's own options; how often and how long as the plan decided it.
json own_settings(const Plan& plan) {
  json object = json::parse(settings::to_json(plan.sweep));
  object["repetitions"] = plan.stop.least_blocks;
  put(object, "until_ci", plan.stop.until_ci);
  put(object, "max_time", plan.stop.max_time_s);
  return object;
}

// "\"none\",\"ddp\"" are two values, each JSON; a plain word is a text.
json values_of(const std::string& text) {
  json values = json::parse("[" + text + "]", nullptr, /*allow_exceptions=*/false);
  if (values.is_discarded()) return text;
  return values.size() == 1 ? values.front() : values;
}

}  // namespace

std::string settings_json(const Plan& plan) {
  json object = json::object();
  for (const auto& [name, text] : resume_settings(plan)) object[name] = values_of(text);
  object.update(own_settings(plan));
  return object.dump();
}

std::string to_json(const Plan& plan) {
  json object = {{"world_size", plan.world_size},
                 {"seed", plan.seed},
                 {"points", json::array()},
                 {"slices", json::array()},
                 {"searches", json::array()},
                 {"runs", json::array()},
                 {"notes", plan.notes},
                 {"estimated_s", plan.estimated_s},
                 {"fingerprint", settings_fingerprint(plan)}};
  for (const PlannedPoint& point : plan.points) object["points"].push_back(point_json(point));
  for (const Slice& slice : plan.slices) object["slices"].push_back(slice_json(slice));
  for (const BatchSearch& search : plan.searches) {
    object["searches"].push_back(
        {{"id", search.id}, {"point", search.point}, {"users", search.users}});
  }
  for (const PlannedRun& run : plan.runs) {
    object["runs"].push_back({{"id", run.id},
                              {"point", run.point},
                              {"repetition", run.repetition},
                              {"block", run.block},
                              {"order", run.order}});
    if (plan.points[run.point].processes == 1) {
      object["runs"].back()["members"] = members_of(plan, run);
    }
  }
  object["stop"] = {{"least_blocks", plan.stop.least_blocks}, {"fill_time", plan.stop.fill_time}};
  put(object["stop"], "until_ci", plan.stop.until_ci);
  put(object["stop"], "max_time_s", plan.stop.max_time_s);
  put(object["stop"], "deadline_s", plan.stop.deadline_s);
  put(object, "memory_available_bytes", plan.memory_available_bytes);
  if (plan.fingerprint_s > 0) object["fingerprint_s"] = plan.fingerprint_s;
  return object.dump(1);
}

}  // namespace scalemark::planning
