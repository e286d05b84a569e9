#include "claims/lint/inputs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "claims/lint/lint.h"
#include "claims/rows/names.h"
#include "claims/rows/table_files.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kMoves = 1e-3;  // relative to the first loss; a smaller change is none

std::optional<double> number(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

Row row_of(const reporting::PointRecord& point, double samples_per_sec) {
  Row row{.id = point.group};
  row.series = point.strategy + "|" + point.backend;
  for (const auto& [axis, value] : point.varying) row.series += "|" + axis + " " + value;
  row.chip = point.device_name;
  row.network = point.workload;
  row.precision = point.precision;
  row.unit = "samples/s";
  row.gpus = point.world_size;
  row.batch = number(point.batch_size);
  row.accumulation = number(point.gradient_accumulation_steps);
  row.global_batch = static_cast<double>(point.global_batch_size);
  row.sequence_length = point.sequence_length;
  row.rate = tables::as_printed(samples_per_sec);
  return row;
}

// Whether this finding makes the numbers of its report less believable.
bool bears_on_belief(const reporting::Finding& finding) {
  const reporting::FindingKind* kind = reporting::find_finding_kind(finding.code);
  return kind && (kind->costs != reporting::VerdictLevel::kQuotable || finding.severity == kError ||
                  kind == &kinds::superlinear);
}

// Makes a table of the groups that were measured, or of a single run's point.
Table table_of(const reporting::Report& report, const std::string& name) {
  Table table{.name = name, .rows = {}};
  const std::set<std::string> without_ground = reporting::groundless(report);
  for (const reporting::GroupRecord& group : report.groups) {
    const reporting::PointRecord* point = reporting::first_run(report.points, group.group);
    if (point && group.samples_per_sec && !without_ground.contains(group.group))
      table.rows.push_back(row_of(*point, *group.samples_per_sec));
  }
  if (!report.groups.empty()) return table;
  for (const reporting::PointRecord& point : report.points) {
    if (point.status == reporting::PointStatus::kOk && !without_ground.contains(point.group))
      table.rows.push_back(row_of(point, point.samples_per_sec));
  }
  return table;
}

}  // namespace

LintedReport lint_report(const reporting::Report& whole, const std::string& name) {
  const reporting::Report report = reporting::for_people(whole);
  LintedReport linted{.table = table_of(report, name), .findings = {}};
  std::vector<Finding>& all = linted.findings;
  for (const reporting::Finding& finding : report.findings) {
    if (!bears_on_belief(finding)) continue;
    all.push_back({reporting::find_finding_kind(finding.code), finding.severity, name,
                   finding.point, finding.text});
  }
  for (const reporting::PointRecord& point : report.points) {
    if (point.status != reporting::PointStatus::kOk || !point.loss_first || !point.loss_last)
      continue;
    if (std::fabs(*point.loss_last - *point.loss_first) > kMoves * std::fabs(*point.loss_first))
      continue;
    Findings(name, all).add(kinds::loss_not_moving, kInfo, point.id,
                            {{"loss", *point.loss_last}, {"steps", point.iterations}});
  }
  // The report has judged its own efficiencies by their intervals, and its MFU by the chip that it
  // names.
  for (Finding& one : lint({&linted.table, 1})) {
    if (one.kind != &kinds::superlinear && one.kind != &kinds::mfu_implausible)
      all.push_back(std::move(one));
  }
  return linted;
}

std::map<std::string, std::string> impossible_rows(std::span<const published::Row> rows) {
  std::map<std::string, std::string> found;
  for (const Finding& one : lint(tables::tables_of(published::tables_of(rows)))) {
    if (one.severity == kError && !one.row.empty())
      found.emplace(one.row, one.text + " [" + one.kind->code + "]");
  }
  return found;
}

std::vector<published::Row> believable(std::span<const published::Row> rows) {
  const auto impossible = impossible_rows(rows);
  std::vector<published::Row> others;
  std::ranges::copy_if(rows, std::back_inserter(others),
                       [&](const published::Row& row) { return !impossible.contains(row.id); });
  return others;
}

Judged count_of(std::span<const Table> tables) {
  Judged judged{.tables = tables.size(), .rows = 0};
  for (const Table& table : tables) {
    judged.rows += table.rows.size();
    for (const Series& series : series_of(table)) {
      const auto rated = static_cast<std::size_t>(
          std::ranges::count_if(series, [](const Row* row) { return rate_of(*row).has_value(); }));
      judged.compared += rated > 1 ? rated - 1 : 0;
    }
    for (const Row& row : table.rows) {
      judged.compared += row.speedup.has_value() + row.efficiency.has_value() + row.ratios.size();
      judged.compared += (row.batch && row.global_batch) + (row.rate && row.rate_per_gpu) +
                         (row.step_s.has_value() || row.time_s.has_value()) +
                         (row.mfu && (row.flops || rate_of(row)));
    }
  }
  return judged;
}

}  // namespace scalemark::lint
