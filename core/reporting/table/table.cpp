#include "core/reporting/table/table.h"

#include <functional>
#include <utility>
#include <vector>

#include "core/base/characters.h"
#include "core/base/terminal.h"
#include "core/reporting/table/parts.h"
#include "core/reporting/table/section.h"

namespace scalemark::reporting {
namespace {

std::string evaluations(const std::vector<Row>& rows,
                        const std::function<std::string(const std::vector<Column>&)>& set) {
  std::string text;
  for (const auto& row : rows) {
    if (row.point->evaluation.empty()) continue;
    text += "\nevaluation of row " + row.number + "\n\n" + set(evaluation_columns(*row.point));
  }
  return text;
}

std::string devices(std::span<const Report> reports,
                    const std::function<std::string(const std::vector<Column>&)>& set) {
  std::string text;
  for (const Report& report : reports) {
    if (report.devices.empty()) continue;
    text += "\n" + std::string(kDevicesTitle) + "\n\n" + set(device_columns(report.devices));
  }
  return text;
}

std::string fingerprints(std::span<const Report> reports,
                         const std::function<std::string(const std::vector<Column>&)>& set,
                         const std::function<std::string(const std::string&)>& item) {
  std::string text;
  for (const Report& report : reports) {
    if (report.fingerprint.empty()) continue;
    text += "\n" + std::string(kFingerprintTitle) + "\n\n";
    text += set(fingerprint_columns(report.fingerprint)) + "\n";
    for (const auto& note : fingerprint_notes(report.fingerprint)) text += item(note);
  }
  return text;
}

}  // namespace

std::vector<Row> rows_of(std::span<const Report> reports) {
  std::vector<Row> rows;
  for (const auto& report : reports) {
    for (const auto& point : report.points) {
      rows.push_back({&report, &point, std::to_string(rows.size() + 1)});
    }
  }
  return rows;
}

std::vector<PlacedPoint> points_of(const std::vector<Row>& rows) {
  std::vector<PlacedPoint> points;
  for (const auto& row : rows) points.push_back(placed(*row.report, *row.point));
  return points;
}

std::string render_table(std::span<const Report> reports, TableFormat format,
                         const Terminal& terminal) {
  const auto rows = rows_of(reports);
  const bool is_text = format == TableFormat::kText;
  const auto set = [&](const std::vector<Column>& columns) {
    return is_text ? section_text({"", columns, {}}, terminal) : set_markdown(columns);
  };
  const auto plain = [&](const std::string& line) { return is_text ? line : markdown_text(line); };
  const auto item = [&](const std::string& note) {
    return list_item(plain(note), text_width(terminal));
  };
  std::string text;
  const std::string by_itself = fingerprints(reports, set, item);
  if (rows.empty()) {
    text = by_itself.empty() ? "no points were measured\n" : "";
  } else {
    text = plain(with_blanks(common_traits(rows))) + "\n\n" + set(throughput_columns(rows)) + "\n" +
           set(step_columns(rows)) + evaluations(rows, set) + devices(reports, set);
  }
  text += by_itself;
  std::vector<std::string> notes;
  if (!rows.empty()) notes = baseline_notes(rows);
  for (auto& note : finding_notes(reports, rows)) notes.push_back(std::move(note));
  for (auto& note : status_notes(reports, rows)) notes.push_back(std::move(note));
  if (auto cost = telemetry_cost(reports); !cost.empty()) notes.push_back(std::move(cost));
  if (!notes.empty()) text += "\n";
  for (const auto& note : notes) text += item(note);
  return text;
}

}  // namespace scalemark::reporting
