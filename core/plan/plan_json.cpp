#include "core/plan/plan_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/plan/order.h"
#include "core/plan/plan.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "core/settings/value.h"

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

// The sweep's own options; repetitions and lengths are those that the plan decided.
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
                 {"fingerprint", settings_digest(plan)}};
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

namespace {

// The functions from here on identify a plan across sessions and ranks; plan.h declares them.

std::string length_text(const RunLength& length) {
  std::string text;
  const auto add = [&](const auto& value) {
    if constexpr (requires { value.has_value(); }) {
      text += (value ? settings::to_text(static_cast<double>(*value)) : "-") + " ";
    } else {
      text += settings::to_text(static_cast<double>(value)) + " ";
    }
  };
  add(length.warmup_iters);
  add(length.iters);
  add(length.least_warmup_steps);
  add(length.least_steps);
  add(length.least_warmup_s);
  add(length.least_window_s);
  return text;
}

}  // namespace

bool must_stay_on_resume(const std::string& setting) {
  const settings::Option* row = settings::find_row(setting);
  return row ? row->identity != settings::Identity::kNone : setting != "command";
}

bool is_path(const std::string& setting) {
  const settings::Option* row = settings::find_row(setting);
  return row != nullptr && row->kind == settings::Kind::kPath;
}

std::map<std::string, std::string> resume_settings(const Plan& plan) {
  std::map<std::string, std::vector<std::string>> values;
  for (const PlannedPoint& point : plan.points) {
    for (auto& [name, value] : settings::identity_settings(point.settings)) {
      if (point.skipped && name == "batch_size" && value == "0") continue;  // none was found
      auto& seen = values[name];
      if (std::ranges::count(seen, value) == 0) seen.push_back(value);
    }
  }
  std::set<int> world_sizes;
  for (const PlannedPoint& point : plan.points) world_sizes.insert(point.world_size);
  for (const int n : world_sizes) values["world_sizes"].push_back(std::to_string(n));
  values["placement"] = {std::string(name_of(plan.sweep.placement))};

  std::map<std::string, std::string> lists;
  for (const auto& [name, all] : values) lists[name] = joined(all, ",");
  return lists;
}

std::string settings_digest(const Plan& plan) {
  std::string all;
  const auto add = [&](const std::string& text) { all += text + '\0'; };
  for (const auto& [name, value] : resume_settings(plan)) add(name + "=" + value);
  for (const PlannedPoint& point : plan.points) {
    add(point.group + (point.skipped ? " skipped" : ""));
    add(length_text(point.length));
  }
  return fnv1a_hex(all);
}

}  // namespace scalemark::planning
