#include <algorithm>
#include <utility>

#include "core/reporting/judge/judge.h"
#include "core/reporting/record/point_facts.h"
#include "core/reporting/record/report_json.h"
#include "core/reporting/record/verdict.h"
#include "core/reporting/table/parts.h"

namespace scalemark::reporting {
namespace {

std::string number_of(const std::vector<Row>& rows, const Report& report, const std::string& id) {
  for (const auto& row : rows) {
    if (row.report == &report && row.point->id == id) return row.number;
  }
  return "";
}

std::string names_of(const std::vector<const PointRecord*>& baselines,
                     const std::vector<Row>& rows) {
  std::string names;
  for (const auto& row : rows) {
    if (std::find(baselines.begin(), baselines.end(), row.point) == baselines.end()) continue;
    names +=
        (names.empty() ? "" : ", ") + row.number + " (" + strategy_text(row.point->strategy) + ")";
  }
  return names;
}

}  // namespace

std::vector<std::string> baseline_notes(const std::vector<Row>& rows) {
  const auto points = points_of(rows);
  std::vector<const PointRecord*> baselines;
  std::string strong, combined, unsteady;
  for (const auto& row : rows) {
    const auto found = speed_up(*row.point, points);
    if (!found) continue;
    baselines.insert(baselines.end(), found->baselines.begin(), found->baselines.end());
    if (found->baselines.size() > 1) combined += (combined.empty() ? "" : ", ") + row.number;
    if (found->unsteady) unsteady += (unsteady.empty() ? "" : ", ") + row.number;
    if (found->strong) strong += (strong.empty() ? "" : ", ") + row.number;
  }
  std::vector<std::string> notes;
  if (baselines.empty()) {
    notes.push_back("no speed-up: no report holds a 1-rank point of the same settings");
    return notes;
  }
  notes.push_back("speed-up and efficiency against row " + names_of(baselines, rows) +
                  ": one run each, so +- holds what steps within the runs show, and runs differ by "
                  "more");
  if (!combined.empty()) {
    notes.push_back("row " + combined +
                    ": several baselines of the same settings count together (geometric mean)");
  }
  if (!unsteady.empty()) {
    notes.push_back("row " + unsteady + ": ~ of a window that was not steady: two digits");
  }
  if (!strong.empty()) notes.push_back("row " + strong + ": strong scaling, same global batch");
  return notes;
}

std::vector<std::string> finding_notes(std::span<const Report> reports,
                                       const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> order;  // text, rows
  for (const auto& report : reports) {
    for (const auto& finding : report.findings) {
      const std::string text =
          finding.severity == "info" ? finding.text : finding.severity + ": " + finding.text;
      const std::string row = number_of(rows, report, finding.point);
      auto known = std::ranges::find(order, text, &std::pair<std::string, std::string>::first);
      if (known == order.end()) known = order.insert(order.end(), {text, ""});
      if (!row.empty()) known->second += (known->second.empty() ? "" : ", ") + row;
    }
  }
  std::vector<std::string> notes;
  for (const auto& [text, numbers] : order) {
    notes.push_back(numbers.empty() ? text : "row " + numbers + ": " + text);
  }
  return notes;
}

std::vector<std::string> status_notes(std::span<const Report> reports,
                                      const std::vector<Row>& rows) {
  std::vector<std::string> notes;
  for (const auto& row : rows) {
    if (row.point->status == PointStatus::kOk) continue;
    notes.push_back("row " + row.number + ": " + std::string(name_of(row.point->status)) +
                    (row.point->reason.empty() ? "" : ", " + row.point->reason));
  }
  for (const auto& report : reports) {
    if (report.status == ReportStatus::kComplete) continue;
    notes.push_back("report of " + report.started + " is " + std::string(name_of(report.status)) +
                    (report.exit_code ? " (exit " + std::to_string(*report.exit_code) + ")" : ""));
  }
  for (const auto& report : reports) {
    const auto& verdict = report.verdict;
    const VerdictReason* change = verdict ? told_change(*verdict) : nullptr;
    if (change) notes.push_back(change->text);
    if (verdict && verdict->level != VerdictLevel::kQuotable) {
      notes.push_back(quoting_in_words(report));
    }
  }
  for (const auto& report : reports) {
    for (const auto& error : report.errors) notes.push_back(format_error_line(error));
  }
  return notes;
}

}  // namespace scalemark::reporting
