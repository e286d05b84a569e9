#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "apps/scalemark/comm_command.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/text.h"
#include "core/planning/collectives/estimates.h"
#include "core/planning/collectives/plan_json.h"
#include "core/reporting/table/text_table.h"
#include "core/settings/option.h"
#include "core/settings/settings_json.h"

namespace scalemark::cli {
namespace {

using planning::CollectivePlan;
using planning::CollectivePoint;
using reporting::Column;

std::string points_table(const CollectivePlan& plan) {
  std::vector<Column> columns{
      {{"point"}, true}, {{"bytes"}}, {{"ranks"}}, {{"members"}, true}, {{"state"}, true}};
  const std::string runs =
      plan.repetitions == 1 ? "1 run" : std::to_string(plan.repetitions) + " runs";
  for (const CollectivePoint& point : plan.points) {
    const std::string cells[] = {point.group, point.bytes() ? std::to_string(point.bytes()) : "-",
                                 std::to_string(point.world_size), members_text(point.members),
                                 point.skipped ? "skipped" : runs};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return reporting::set_text(columns);
}

// One line for each reason, with the points that have it.
std::string skipped_list(const CollectivePlan& plan) {
  std::vector<std::string> reasons;
  std::map<std::string, std::vector<std::string>> groups;
  for (const CollectivePoint& point : plan.points) {
    if (!point.skipped) continue;
    std::vector<std::string>& with_it = groups[*point.skipped];
    if (with_it.empty()) reasons.push_back(*point.skipped);
    with_it.push_back(point.group);
  }
  std::string text = reasons.empty() ? "" : "\nSkipped, because they cannot be:\n";
  for (const std::string& reason : reasons) {
    text += "  " + reason + ": " + listed(groups[reason]) + "\n";
  }
  return text;
}

std::string totals(const CollectivePlan& plan) {
  const auto skipped = std::ranges::count_if(
      plan.points, [](const CollectivePoint& point) { return point.skipped.has_value(); });
  const auto points = std::ssize(plan.points) - skipped;
  std::string text = "\n" + std::to_string(points) + (points == 1 ? " point" : " points");
  if (skipped > 0) text += " (" + std::to_string(skipped) + " more skipped)";
  text += " x " + std::to_string(plan.repetitions) +
          " blocks = " + std::to_string(points * plan.repetitions) + " runs on " +
          std::to_string(plan.world_size) + " ranks; about " +
          duration_text(planning::estimated_s(plan)) +
          " in all, which may be wrong by a factor of 3.\n";
  return text + "Each block runs every point once, in an order of its own, from seed + block.\n";
}

std::string pairs_text(const planning::PairPlan& pairs, int ranks) {
  return "Every link between two nodes, or on one node every link between its " +
         std::to_string(ranks) + " ranks (" + std::to_string(ranks * (ranks - 1) / 2) + "); " +
         std::to_string(pairs.passes) + " passes over " + pairs.backend + ".\n";
}

std::string padded_right(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 2), ' ');
  return text;
}

std::string settings_list(const ResolvedComm& resolved) {
  std::string text = "\nSettings\n";
  std::optional<settings::Group> group;
  const auto& origins = resolved.base.settings.origins;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, resolved.texts)) {
      const auto value = resolved.texts.find(name);
      if (value == resolved.texts.end()) continue;
      if (group != option.group) text += "\n" + std::string(title(option.group)) + "\n";
      group = option.group;
      text +=
          "  " + padded_right(name, 30) + padded_right(value->second, 34) + origins.at(name) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string collective_plan_table(const ResolvedComm& resolved) {
  if (resolved.plan.pairs) {
    return pairs_text(*resolved.plan.pairs, resolved.plan.world_size) + settings_list(resolved);
  }
  return points_table(resolved.plan) + skipped_list(resolved.plan) + totals(resolved.plan) +
         settings_list(resolved);
}

std::string collective_plan_document(const ResolvedComm& resolved) {
  settings::Settings values;
  values.origins = resolved.texts;
  return "{\"plan\": " + planning::to_json(resolved.plan) +
         ",\n\"settings\": " + settings::origins_to_json(values) +
         ",\n\"origins\": " + settings::origins_to_json(resolved.base.settings) + "}\n";
}

}  // namespace scalemark::cli
