#include "apps/scalemark/setting_text.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "apps/scalemark/plan_text.h"
#include "apps/scalemark/sweep_command.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/catalogue/strategy.h"
#include "core/catalogue/workload.h"
#include "core/plan/order.h"
#include "core/plan/plan_json.h"
#include "core/settings/checks.h"
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

// Lists the points that can run and how long one run of each takes: numbers in their names by
// value, or with `details` in the order of the first block.
std::vector<Column> points_columns(const Plan& plan, bool details) {
  std::vector<planning::PlannedRun> runs = planning::block(plan, 0);
  const auto point_of = [&](const planning::PlannedRun& run) -> const PlannedPoint& {
    return plan.points[run.point];
  };
  const auto key = [&](const auto& run) { return planning::sorting_key(point_of(run).group); };
  if (!details) std::ranges::stable_sort(runs, {}, key);
  std::vector<Column> columns{
      reporting::column({"point"}, true, runs,
                        [&](const auto& run) { return point_of(run).group; }),
      reporting::column({"ranks"}, true, runs,
                        [&](const auto& run) {
                          const PlannedPoint& p = point_of(run);
                          const bool solo = p.role == planning::Role::kSolo;
                          return std::to_string(p.world_size) +
                                 (solo ? ", " + std::string(reporting::kNoExchange) : "") +
                                 (p.asked || !details ? "" : " (added)");
                        }),
      reporting::column({"a run"}, false, runs,
                        [&](const auto& run) { return rough_duration(point_of(run).estimated_s); }),
      reporting::column({"memory"}, false, runs, [&](const auto& run) {
        const auto bytes = point_of(run).memory_estimate_bytes;
        return bytes ? size_text(bytes) : std::string(reporting::kAbsent);
      })};
  if (!details) return columns;
  columns.push_back(reporting::column({"on ranks"}, true, runs, [&](const auto& run) {
    return number_ranges(planning::members_of(plan, run));
  }));
  return columns;
}

// Says what else the plan decides: what cannot run, which batches are searched, which points are
// set against which.
void add_decisions(const Plan& plan, std::vector<std::string>& lines) {
  lines.emplace_back(
      "The order is that of the first block; each block has its own, from seed + block, and draws "
      "the rank of points with one rank anew.");
  for (const PlannedPoint& point : plan.points) {
    if (point.skipped) lines.push_back("Skipped is " + point.group + ": " + *point.skipped + ".");
  }
  for (const planning::BatchSearch& search : plan.searches) {
    lines.push_back("Searched before the first block: the largest batch that fits " + search.id +
                    ", for " + counted(std::ssize(search.users), "point") + ".");
  }
  for (const planning::Slice& slice : plan.slices) {
    std::string line = "Scaling, " + std::string(name_of(slice.kind)) + ":";
    for (const auto& [option, value] : slice.fixed) line += " " + option + "=" + value;
    lines.push_back(line + "; against " +
                    (slice.baseline ? plan.points[*slice.baseline].group : "nothing") + ".");
  }
}

// Says how many runs there are, how long they take, and what ends them or starts them anew.
std::vector<std::string> totals(const ResolvedSweep& resolved) {
  const Plan& plan = resolved.plan;
  std::vector<std::string> lines{
      total_in_words(resolved.base, plan.points, plan.stop.least_blocks, plan.estimated_s)};
  if (const auto n = planning::environments_of(plan).size(); n > 1) {
    lines.push_back("Libraries read variables once: ranks are started anew for each of the " +
                    std::to_string(n) + " environments of each block, " +
                    std::to_string(n * static_cast<std::size_t>(plan.stop.least_blocks)) +
                    " times in all.");
  }
  if (!plan.sweep.tune.empty()) {
    lines.push_back("From the fourth block on, values of " +
                    settings::option_flag(plan.sweep.tune) +
                    " that are surely slower than the fastest are left out.");
  }
  if (plan.stop.until_ci) {
    lines.push_back(
        "More blocks are run until the intervals of throughput and efficiency are within +-" +
        given_percent(*plan.stop.until_ci) + ".");
  }
  if (plan.stop.max_time_s) {
    lines.push_back("No block begins that would end later than " + age_text(*plan.stop.max_time_s) +
                    " after the start.");
  }
  std::vector<std::uint64_t> needed;
  for (const PlannedPoint& point : plan.points) {
    if (!point.skipped) needed.push_back(point.memory_estimate_bytes);
  }
  std::ranges::move(memory_lines(plan.memory_available_bytes, needed), std::back_inserter(lines));
  return lines;
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

// Writes "resnet50, 224 px, ddp, fp32, 8/32 samples per rank, 1 thread per rank, cpu, gloo"
std::string traits_of(const Plan& plan) {
  constexpr std::pair<const char*, std::string_view> kTraits[] = {
      {"workload", ""},
      {"image_size", " px"},
      {"sequence_length", " tokens"},
      {"strategy", ""},
      {"precision", ""},
      {"batch_size", " samples per rank"},
      {"threads", " threads per rank"},
      {"device", ""},
      {"backend", ""}};
  auto values = point_values(plan);
  if (!plan.searches.empty()) values["batch_size"] = {"auto"};
  const auto is_used = [&](std::string_view option) {
    return std::ranges::any_of(values["workload"], [&](const std::string& name) {
      return settings::serves(*catalogue::find_workload(name), option);
    });
  };
  std::vector<std::string> traits;
  for (const auto& [option, unit] : kTraits) {
    if (!is_used(option)) continue;
    std::vector<std::string>& all = values[option];
    std::erase_if(all, [](const std::string& value) { return value.empty() || value == "0"; });
    // One rank alone has no strategy.
    if (all.size() > 1) std::erase(all, catalogue::baseline_strategy());
    if (all.empty()) continue;
    if (!unit.empty()) std::ranges::sort(all, {}, planning::sorting_key);
    traits.push_back(joined(all, "/").append(unit));
    const auto plural = traits.back().find("s per rank");
    if (traits.back().starts_with("1 ") && plural != std::string::npos)
      traits.back().erase(plural, 1);
  }
  return joined(traits, ", ");
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
  const bool details = resolved.base.details;
  std::vector<std::string> lines = totals(resolved);
  if (details) add_decisions(plan, lines);
  return set_plan({.what = traits_of(plan),
                   .columns = points_columns(plan, details),
                   .lines = std::move(lines),
                   .settings = setting_rows(resolved)},
                  details);
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
