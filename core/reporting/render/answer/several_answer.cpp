#include <functional>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/reporting/record/verdict.h"
#include "core/reporting/render/answer/answer.h"
#include "core/reporting/table/table.h"

namespace scalemark::reporting {
namespace {

using RowRange = std::pair<std::size_t, std::size_t>;  // first and last

// Rows of the table of all, as each report's points take them.
std::vector<RowRange> rows_of_reports(std::span<const Report> reports) {
  std::vector<RowRange> rows;
  std::size_t last = 0;
  for (const Report& report : reports) {
    const std::size_t first = last + 1;
    last += report.points.size();
    rows.emplace_back(first, last);
  }
  return rows;
}

// "row 1", "rows 1 to 4", "rows 1, 3 to 5 and 9".
std::string rows_text(const std::vector<RowRange>& all) {
  std::vector<RowRange> rows;
  for (const RowRange& next : all) {
    if (!rows.empty() && rows.back().second + 1 == next.first) {
      rows.back().second = next.second;
    } else {
      rows.push_back(next);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [first, last] = rows[i];
    text += (i == 0                ? ""
             : i + 1 < rows.size() ? ", "
                                   : " and ") +
            std::to_string(first) + (last > first ? " to " + std::to_string(last) : "");
  }
  const bool is_one = rows.size() == 1 && rows.front().first >= rows.front().second;
  return (is_one ? "row " : "rows ") + text;
}

// Tells what speaks against rows, the gravest first; reports of which the same is true share a
// note.
std::vector<std::string> notes_on_rows(std::span<const Report> runs,
                                       const std::vector<RowRange>& rows) {
  std::map<VerdictLevel, std::map<std::string, std::vector<RowRange>>, std::greater<>> by_level;
  std::map<std::string, std::vector<RowRange>> changed;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& verdict = runs[i].verdict;
    if (!verdict) continue;
    if (const VerdictReason* change = told_change(*verdict))
      changed[change->text].push_back(rows[i]);
    if (verdict->level == VerdictLevel::kQuotable) continue;
    by_level[verdict->level][verdict->reasons.front().text].push_back(rows[i]);
  }
  std::vector<std::string> notes;
  for (const auto& [level, reasons] : by_level) {
    for (const auto& [reason, of_reason] : reasons) {
      notes.push_back(rows_text(of_reason) + ": " + reason +
                      (level == VerdictLevel::kDoNotQuote ? ": " + quoting_words(level) : ""));
    }
  }
  if (notes.size() > kMostNotes) {
    const std::size_t more = notes.size() - kMostNotes;
    notes.resize(kMostNotes);
    notes.push_back("and " + counted(more, "note") + " more: report each run by itself");
  }
  for (const auto& [change, of_change] : changed) {
    notes.push_back(rows_text(of_change) + ": " + change);
  }
  return notes;
}

}  // namespace

Answer answer_of_several(std::span<const Report> runs, const std::vector<std::string>& places) {
  RunsTable table = runs_table(runs);
  Answer answer{.what = std::move(table.what), .table = std::move(table.columns)};
  const std::vector<RowRange> rows = rows_of_reports(runs);
  std::string legend;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string folder = folder_of(places[i]);
    legend +=
        (i == 0 ? "" : "; ") + rows_text({rows[i]}) + ": " + (folder.empty() ? places[i] : folder);
  }
  if (!legend.empty()) answer.found.push_back(legend);
  answer.notes = notes_on_rows(runs, rows);
  return answer;
}

}  // namespace scalemark::reporting
