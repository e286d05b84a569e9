#include "apps/scalemark/setting_text.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/sweep_command.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/plan/order.h"
#include "core/plan/plan_json.h"
#include "core/settings/layers.h"
#include "core/settings/settings_json.h"
#include "report/record/point_facts.h"
#include "report/say/table/text_table.h"

namespace scalemark::cli {
namespace {

// {"1":20971520,"3":1024} -> 1=20971520,3=1024
std::string list_of(std::string object) {
  std::erase_if(object, [](char c) { return c == '{' || c == '}' || c == '"'; });
  std::ranges::replace(object, ':', '=');
  return object;
}

// The column of a terminal at which the origins of settings begin; most of them are short words.
std::size_t origins_at(const Terminal& terminal) {
  constexpr int kLast = 66, kFirst = 46, kWord = 12;
  return terminal.is_terminal ? std::clamp(terminal.columns - kWord, kFirst, kLast) : kLast;
}

}  // namespace

std::string plain(const std::string& json) {
  if (json == "true") return "on";
  if (json == "false") return "off";
  if (json.size() >= 2 && json.front() == '"') return json.substr(1, json.size() - 2);
  return json;
}

std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option) {
  return shown_value(values, option, std::string(option.name));
}

std::string shown_value(const std::map<std::string, std::string>& values,
                        const settings::Option& option, const std::string& name) {
  const auto value = values.find(name);
  const std::string word = option.words.empty() ? "" : std::string(option.words.front());
  std::string text = value == values.end() ? word : plain(value->second);
  for (const char* own : {"_by_rank", "_by_phase"}) {
    const auto found = values.find(name + own);
    if (found != values.end()) text += (text.empty() ? "" : ",") + list_of(found->second);
  }
  return text;
}

std::vector<std::string> setting_names(const settings::Option& option,
                                       const std::map<std::string, std::string>& origins) {
  if (option.kind != settings::Kind::kVariable) return {std::string(option.name)};
  std::vector<std::string> names;
  for (const auto& [name, origin] : origins) {
    if (settings::is_variable_key(name)) names.push_back(name);
  }
  return names;
}

std::string setting_lines(const std::vector<SettingRow>& rows) {
  const std::size_t values = 32, origins = origins_at(terminal_of(STDOUT_FILENO));
  std::string text;
  std::string_view last;
  for (const SettingRow& row : rows) {
    const std::string_view now =
        row.option ? title(row.option->group) : "From the recipe, without an option of its own";
    if (now != last) text += "\n" + std::string(now) + "\n";
    last = now;
    std::string line = "  " + row.name;
    line.resize(std::max(values, line.size() + 2), ' ');
    line += row.value;
    line.resize(std::max(origins, line.size() + 2), ' ');
    text += line + row.origin + "\n";
  }
  return text;
}

namespace {

using planning::Plan;
using planning::PlannedPoint;
using reporting::Column;

constexpr const char* kNoSize = "-";

std::string batch_text(const PlannedPoint& point, std::int64_t size) {
  if (point.batch_search) return "auto";
  return size == 0 ? kNoSize : std::to_string(size);
}

std::string role_text(planning::Role role) {
  return std::string(role == planning::Role::kSolo ? reporting::kNoExchange : name_of(role));
}

std::string points_table(const Plan& plan) {
  std::vector<Column> columns{{{"order"}},  {{"point"}, true},   {{"role"}, true},
                              {{"ranks"}},  {{"members"}, true}, {{"batch"}},
                              {{"accum."}}, {{"global"}},        {{"precision"}, true},
                              {{"about"}},  {{"memory"}}};
  for (const std::size_t place : {4U, 6U, 7U, 8U, 10U}) columns[place].may_go = true;
  for (const planning::PlannedRun& run : planning::block(plan, 0)) {
    const PlannedPoint& p = plan.points[run.point];
    const auto& size = p.settings.size;
    const std::string cells[] = {
        std::to_string(run.order + 1),
        p.group,
        role_text(p.role) + (p.asked ? "" : " (added)"),
        std::to_string(p.world_size),
        number_ranges(planning::members_of(plan, run)),
        batch_text(p, size.batch_size),
        std::to_string(size.gradient_accumulation_steps),
        batch_text(p, size.global_batch_size),
        std::string(name_of(p.settings.parallel.precision)),
        rough_duration(p.estimated_s),
        p.memory_estimate_bytes ? size_text(p.memory_estimate_bytes) : kNoSize};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return reporting::section_text({"", std::move(columns), {}}, terminal_of(STDOUT_FILENO));
}

std::string skipped_list(const Plan& plan) {
  std::string text;
  for (const PlannedPoint& point : plan.points) {
    if (point.skipped) text += "  " + point.group + ": " + *point.skipped + "\n";
  }
  return text.empty() ? text : "\nSkipped, because they cannot be:\n" + text;
}

std::string slices_list(const Plan& plan) {
  std::string text = "\nScaling tables:\n";
  for (const planning::Slice& slice : plan.slices) {
    text += "  " + std::string(name_of(slice.kind)) + ":";
    for (const auto& [option, value] : slice.fixed) text += " " + option + "=" + value;
    text += "; against " + (slice.baseline ? plan.points[*slice.baseline].group : "nothing");
    text += "\n";
  }
  return text;
}

// Says why there are points that nobody asked for.
std::string added_list(const Plan& plan) {
  const auto added = [&](planning::Role role) {
    return std::ranges::any_of(
        plan.points, [&](const PlannedPoint& point) { return !point.asked && point.role == role; });
  };
  std::string text;
  if (added(planning::Role::kBaseline)) {
    text += "A baseline is added: the one rank with which efficiency compares.\n";
  }
  if (added(planning::Role::kSolo)) {
    text +=
        "Points with no exchange are added: each rank trains by itself, to tell what sharing the "
        "machine costs.\n";
  }
  return text;
}

std::string searches_list(const Plan& plan) {
  std::string text;
  for (const planning::BatchSearch& search : plan.searches) {
    text += "  " + search.id + ": the largest that fits there, used by " +
            std::to_string(search.users.size()) + " points\n";
  }
  return text.empty() ? text : "\nBatch sizes to be searched before the first block:\n" + text;
}

std::string totals(const Plan& plan) {
  const auto skipped = std::ranges::count_if(
      plan.points, [](const PlannedPoint& point) { return point.skipped.has_value(); });
  std::string text = "\n" + std::to_string(std::ssize(plan.points) - skipped) + " points";
  if (skipped > 0) text += " (" + std::to_string(skipped) + " more skipped)";
  text += " x " + std::to_string(plan.stop.least_blocks) +
          " blocks = " + std::to_string(plan.runs.size()) + " runs on " +
          counted(plan.world_size, "rank") + "; about " + rough_duration(plan.estimated_s) +
          " in all, which may be wrong by a factor of 3.\n";
  text += "The order is that of the first block; each block has its own, from seed + block.\n";
  if (plan.world_size > 1) {
    text += "So is the rank of points with one rank: each block draws it anew.\n";
  }
  text += added_list(plan);
  if (const auto n = planning::environments_of(plan).size(); n > 1) {
    text += "Libraries read variables once: ranks are started anew for each of the " +
            std::to_string(n) + " environments of each block, " +
            std::to_string(n * static_cast<std::size_t>(plan.stop.least_blocks)) +
            " times in all.\n";
  }
  if (!plan.sweep.tune.empty()) {
    text += "From the fourth block on, values of " + settings::option_flag(plan.sweep.tune) +
            " that are surely slower than the fastest are left out.\n";
  }
  if (plan.stop.until_ci) {
    text += "More blocks are run until the intervals of throughput and efficiency are within +-" +
            given_percent(*plan.stop.until_ci) + ".\n";
  }
  if (plan.stop.max_time_s) {
    text += "No block begins that would end later than " + age_text(*plan.stop.max_time_s) +
            " after the start.\n";
  }
  if (plan.memory_available_bytes) {
    text += "Memory is an estimate for one rank; each has " +
            size_text(*plan.memory_available_bytes) + " or more.\n";
    const auto beyond = std::ranges::count_if(plan.points, [&](const PlannedPoint& point) {
      return !point.skipped && point.memory_estimate_bytes > *plan.memory_available_bytes;
    });
    if (beyond > 0) {
      text += "! " + counted(beyond, "point") +
              " may not fit into that, and would end as out of memory: --scale-down, or smaller "
              "batches, images or sequences.\n";
    }
  }
  return text;
}

// Each setting's values over the points that were asked for, in their order.
std::map<std::string, std::vector<std::string>> point_values(const Plan& plan) {
  std::map<std::string, std::vector<std::string>> values;
  for (const PlannedPoint& point : plan.points) {
    if (!point.asked || point.skipped) continue;
    const auto flat = settings::flat_settings(point.settings);
    for (const settings::Option& option : settings::all_options()) {
      std::vector<std::string>& seen = values[std::string(option.name)];
      const std::string text = shown_value(flat, option);
      if (std::ranges::count(seen, text) == 0) seen.push_back(text);
    }
  }
  return values;
}

// Every option of the sweep: the list given, or what the points have.
std::vector<SettingRow> setting_rows(const ResolvedSweep& resolved) {
  const auto points = point_values(resolved.plan);
  const auto& origins = resolved.base.settings.origins;
  std::vector<SettingRow> rows;
  for (const settings::Option& option : settings::all_options()) {
    if (!takes(settings::kSweep, option)) continue;
    for (const std::string& name : setting_names(option, origins)) {
      const auto axis = std::ranges::find(resolved.asked.axes, name, &settings::Axis::option);
      const auto own = resolved.asked.own.find(name);
      const auto origin = origins.find(name);
      if (axis != resolved.asked.axes.end()) {
        rows.push_back({&option, name, joined(axis->values, ","), axis->origin});
      } else if (own != resolved.asked.own.end()) {
        rows.push_back({&option, name, own->second.text, own->second.origin});
      } else if (name == "world_sizes") {
        std::vector<std::string> sizes;
        for (const int n : resolved.plan.sweep.world_sizes) sizes.push_back(std::to_string(n));
        rows.push_back({&option, name, joined(sizes, ","), "default"});
      } else if (origin != origins.end()) {
        rows.push_back({&option, name, joined(points.at(name), ","), origin->second});
      }
    }
  }
  return rows;
}

}  // namespace

std::string plan_table(const ResolvedSweep& resolved) {
  const Plan& plan = resolved.plan;
  return points_table(plan) + skipped_list(plan) + searches_list(plan) + slices_list(plan) +
         totals(plan) + "\nSettings\n" + setting_lines(setting_rows(resolved));
}

std::string plan_document(const ResolvedSweep& resolved) {
  std::map<std::string, std::string> values, origins;
  for (const SettingRow& row : setting_rows(resolved)) {
    values[row.name] = row.value;
    origins[row.name] = row.origin;
  }
  return "{\"plan\": " + planning::to_json(resolved.plan) +
         ",\n\"settings\": " + settings::texts_to_json(values) +
         ",\n\"origins\": " + settings::texts_to_json(origins) + "}\n";
}

}  // namespace scalemark::cli
