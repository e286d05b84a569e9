// Shows reports to people as text: tables of their points, devices and machines, then what there is
// to say about them. Pure; knows no files.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/terminal.h"
#include "report/record/report.h"
#include "report/say/table/text_table.h"

namespace scalemark::reporting {

enum class TableFormat { kText, kMarkdown };

// Speed-up and efficiency are relative to the 1-rank point of the same settings, where one of the
// reports holds it; strategy none is preferred. Findings and errors of all reports follow the
// table. `terminal` is used for kText, as in section_text().
std::string render_table(std::span<const Report> reports, TableFormat format = TableFormat::kText,
                         const Terminal& terminal = {});

// Runs side by side: what they have in common, and a row for each. Each of `reports` holds a point.
struct RunsTable {
  std::string what;
  std::vector<Column> columns;
};
RunsTable runs_table(std::span<const Report> reports);

// Writes the batch of a rank: "8", or "8x4" where a step accumulates four; "-" where it is not
// known.
std::string batch_text(const PointRecord& p);

// Lists what all of `points` have in common: "resnet50, 224 px, batch 64 per rank, fp32".
std::string traits_in_common(const std::vector<const PointRecord*>& points);
// Lists what tells `point`, one of `points`, from the others: "2 ranks, no exchange"; "2 ranks"
// where nothing does.
std::string traits_apart(const PointRecord& point, const std::vector<const PointRecord*>& points);

// Writes in one line how much watching the run cost: the largest watching_cpu_share of all runs and
// hosts. Empty without telemetry.
std::string telemetry_cost(std::span<const Report> reports);

inline constexpr const char* kDevicesTitle = "Devices, each by itself (no exchange)";

// Makes one row per device and point with no exchange, with columns for what is known. `devices` is
// not empty.
std::vector<Column> device_columns(const std::vector<DeviceRecord>& devices);

// Explains the columns in one sentence.
std::string devices_note();

// --- The machine by itself: for doctor, the table of single runs and the sections of a sweep.

inline constexpr const char* kFingerprintTitle = "What the machine does by itself";

// Makes one row per measurement, with host and device where there are several. `records` is not
// empty.
std::vector<Column> fingerprint_columns(const std::vector<FingerprintRecord>& records);

// Explains the columns, and why rows have no rate, in one sentence each.
std::vector<std::string> fingerprint_notes(const std::vector<FingerprintRecord>& records);

// Returns "matrix product fp32".
std::string name_in_words(const FingerprintRecord& record);

// Returns "142.0 to 144.1", with the prefix that `value` has; "-" without an interval.
std::string rate_interval_text(const FingerprintRecord& record);

}  // namespace scalemark::reporting
