#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/claims/claims.h"
#include "core/published/chips.h"
#include "core/published/mapping.h"
#include "core/published/names.h"

namespace scalemark::claims {
namespace {

struct Beside {
  std::string what, table, unit;
  double published = 0, least = 0, most = 0;
  int reports = 0;
};

std::set<std::string> chips_of(const std::vector<const reporting::Report*>& reports) {
  std::set<std::string> names, chips;
  for (const reporting::Report* report : reports) {
    for (const auto& point : report->points) names.insert(point.device_name);
  }
  for (const std::string& name : names) {
    if (const auto chip = published::chip_in(name)) chips.emplace(chip->name);
  }
  return chips;
}

// Throughputs of these chips. A large fleet has many reports and the library many rows: the others
// are left out before any report is looked at.
std::vector<published::Row> rows_of_chips(std::span<const published::Row> rows,
                                          const std::set<std::string>& chips) {
  std::vector<published::Row> kept;
  for (const published::Row& row : rows) {
    if (!row.metric.empty() || !row.throughput) continue;
    const auto mapping = published::map_row(row);
    if (mapping.run && chips.contains(mapping.run->chip)) kept.push_back(row);
  }
  return kept;
}

std::string text_of(const std::string& row, const Beside& one) {
  std::string text = one.what + ": " + significant(one.published, 4) + " " + one.unit +
                     " published (" + one.table + ", " + row + "), " + significant(one.least, 4);
  if (one.reports == 1) return text + " here";
  if (significant(one.most, 4) != significant(one.least, 4))
    text += " to " + significant(one.most, 4);
  return text + " here in " + counted(one.reports, "report");
}

}  // namespace

std::vector<std::string> published_beside(std::span<const published::Row> rows,
                                          const std::vector<const reporting::Report*>& reports) {
  const auto kept = rows_of_chips(rows, chips_of(reports));
  const auto tables = published::tables_of(kept);
  std::map<std::string, Beside> by_row;
  for (const reporting::Report* report : reports) {
    for (const auto& claim : judge(tables, {report, 1})) {
      if (claim.metric != "throughput" || !claim.measured ||
          claim.basis != name_of(reporting::ClaimBasis::kSameHardware))
        continue;
      Beside& one = by_row[claim.row];
      const auto row = std::ranges::find(kept, claim.row, &published::Row::id);
      if (one.reports++ == 0) {
        one = {claim.what,      claim.table,     row->unit, *row->throughput,
               *claim.measured, *claim.measured, 1};
      }
      one.least = std::min(one.least, *claim.measured);
      one.most = std::max(one.most, *claim.measured);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [row, one] : by_row) texts.push_back(text_of(row, one));
  return texts;
}

}  // namespace scalemark::claims
