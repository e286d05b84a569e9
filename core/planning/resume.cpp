// This file identifies a plan across sessions and ranks.
#include <algorithm>
#include <set>

#include "core/base/digest.h"
#include "core/base/text.h"
#include "core/planning/plan.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"
#include "core/settings/value.h"

namespace scalemark::planning {
namespace {

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

std::string settings_fingerprint(const Plan& plan) {
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
