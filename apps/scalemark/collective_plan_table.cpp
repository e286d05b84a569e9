#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "apps/scalemark/comm_command.h"
#include "apps/scalemark/commands.h"
#include "apps/scalemark/setting_text.h"
#include "core/base/text.h"
#include "core/planning/collectives/collective_plan.h"
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
      {{"point"}, true}, {{"size"}}, {{"ranks"}}, {{"members"}, true}, {{"state"}, true}};
  const std::string runs =
      plan.repetitions == 1 ? "1 run" : std::to_string(plan.repetitions) + " runs";
  for (const CollectivePoint& point : plan.points) {
    const std::string cells[] = {
        point.group, point.bytes() ? size_text(static_cast<double>(point.bytes())) : "-",
        std::to_string(point.world_size), members_text(point.members),
        point.skipped ? "skipped" : runs};
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].cells.push_back(cells[i]);
  }
  return reporting::section_text({"", std::move(columns), {}}, terminal_of(STDOUT_FILENO));
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

// Both kinds of plan end their sentence on what they measure with it.
std::string about_time(const CollectivePlan& plan) {
  return "about " + rough_duration(planning::estimated_s(plan)) +
         " in all, which may be wrong by a factor of 3.\n";
}

std::string totals(const CollectivePlan& plan) {
  const auto skipped = std::ranges::count_if(
      plan.points, [](const CollectivePoint& point) { return point.skipped.has_value(); });
  const auto points = std::ssize(plan.points) - skipped;
  std::string text = "\n" + counted(points, "point");
  if (skipped > 0) text += " (" + std::to_string(skipped) + " more skipped)";
  text += " x " + std::to_string(plan.repetitions) +
          " blocks = " + std::to_string(points * plan.repetitions) + " runs on " +
          std::to_string(plan.world_size) + " ranks; " + about_time(plan);
  return text + "Each block runs every point once, in an order of its own, from seed + block.\n";
}

std::string pairs_text(const CollectivePlan& plan) {
  const planning::PairPlan& pairs = *plan.pairs;
  const bool by_rank = pairs.by == settings::PairBy::kRank;
  const std::string ranks = std::to_string(plan.world_size) + " ranks";
  const std::string ends = pairs.pass.nodes == 1
                               ? "the " + ranks + " of one node"
                               : std::to_string(pairs.pass.nodes) + " nodes of " + ranks +
                                     (by_rank ? ", each rank with the rank at its place" : "");
  return "Every link between " + ends + ": " + counted(pairs.pass.links, "link") + " in " +
         counted(pairs.pass.rounds, "round") + ", " + counted(pairs.passes, "pass", "passes") +
         " over " + pairs.backend + "; " + about_time(plan);
}

std::vector<SettingRow> setting_rows(const ResolvedComm& resolved) {
  std::vector<SettingRow> rows;
  const auto& origins = resolved.base.settings.origins;
  for (const settings::Option& option : settings::all_options()) {
    for (const std::string& name : setting_names(option, resolved.texts)) {
      const auto value = resolved.texts.find(name);
      if (value == resolved.texts.end()) continue;
      rows.push_back({&option, name, value->second, origins.at(name)});
    }
  }
  return rows;
}

}  // namespace

std::string collective_plan_table(const ResolvedComm& resolved) {
  const CollectivePlan& plan = resolved.plan;
  const std::string table = plan.pairs ? "" : points_table(plan);
  const std::string text = plan.pairs ? pairs_text(plan) : skipped_list(plan) + totals(plan);
  return table + text + "\nSettings\n" + setting_lines(setting_rows(resolved));
}

std::string collective_plan_document(const ResolvedComm& resolved) {
  return "{\"plan\": " + planning::to_json(resolved.plan) +
         ",\n\"settings\": " + settings::texts_to_json(resolved.texts) +
         ",\n\"origins\": " + settings::texts_to_json(resolved.base.settings.origins) + "}\n";
}

}  // namespace scalemark::cli
