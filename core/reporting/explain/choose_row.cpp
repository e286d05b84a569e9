#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/catalogue/strategy.h"
#include "core/reporting/explain/parts.h"

namespace scalemark::reporting {
namespace {

bool scales(const ScalingTable& table, const ScalingRow& row) {
  return row.world_size > 1 && row.points != table.baseline_points &&
         ((row.speedup && row.efficiency) || row.standing.is_withheld()) &&
         catalogue::exchanges(row.strategy);
}

std::vector<ChosenRow> rows_of(const Report& report) {
  std::vector<ChosenRow> all;
  for (const ScalingTable& table : report.scaling) {
    for (const ScalingRow& row : table.rows) {
      if (scales(table, row)) all.push_back({&table, &row});
    }
  }
  return all;
}

// Rows with numbers that may be shown come first, then more ranks; of as many the one that lost
// more.
bool asks_more(const ChosenRow& a, const ChosenRow& b) {
  const bool a_is_withheld = a.row->standing.is_withheld();
  if (a_is_withheld != b.row->standing.is_withheld()) return !a_is_withheld;
  if (a.row->world_size != b.row->world_size) return a.row->world_size > b.row->world_size;
  return a.row->efficiency < b.row->efficiency;
}

}  // namespace

ChosenRow choose_row(const Report& report, const std::string& group,
                     const std::vector<const Report*>& collectives) {
  std::vector<ChosenRow> rows = rows_of(report);
  if (rows.empty()) {
    throw configuration("the report has no row to explain",
                        "a scaling table with 2 ranks or more that exchange gradients is expected",
                        "measure one: scalemark sweep --world-sizes 1,2 ...");
  }
  std::ranges::stable_sort(rows, asks_more);
  if (group.empty()) {
    const auto explained = std::ranges::find_if(rows, [&](const ChosenRow& chosen) {
      const auto runs = runs_of(report, *chosen.row);
      return !runs.empty() && bucket_times(*runs.front(), collectives).has_value();
    });
    return explained == rows.end() ? rows.front() : *explained;
  }
  const auto found = std::ranges::find_if(
      rows, [&](const ChosenRow& chosen) { return chosen.row->group == group; });
  if (found != rows.end()) return *found;
  std::set<std::string> groups;
  for (const ChosenRow& chosen : rows) groups.insert(chosen.row->group);
  throw configuration("--group is '" + group + "'",
                      "a group of its scaling tables: " + listed(groups, 20));
}

std::vector<const PointRecord*> runs_of(const Report& report, const ScalingRow& row) {
  std::vector<const PointRecord*> runs;
  for (const PointRecord& point : report.points) {
    const bool is_in = std::ranges::find(row.points, point.id) != row.points.end();
    const bool is_shown = point.status == PointStatus::kOk && !point.standing.is_withheld();
    if (is_in && is_shown) runs.push_back(&point);
  }
  return runs;
}

}  // namespace scalemark::reporting
