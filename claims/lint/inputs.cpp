#include "claims/lint/inputs.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "claims/lint/lint.h"
#include "claims/lint/read_tables.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/terminal.h"
#include "core/base/text.h"
#include "report/judge/judge.h"
#include "report/record/point_facts.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

constexpr double kMoves = 1e-3;  // of the loss, in a window

std::optional<double> number(const std::optional<std::int64_t>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

// A row may say what its source printed: a corrected cell is the table's mistake, not ours.
std::optional<double> printed_or(const published::Row& row, const char* field,
                                 std::optional<double> value) {
  const auto found = row.printed.find(field);
  if (found == row.printed.end()) return value;
  const auto text = read_printed(found->second);
  return text ? std::optional(text->value) : value;
}

// Labels call a fixed batch of an optimizer step strong, too, though each GPU keeps its batch.
bool is_strong(const published::Row& row) {
  return row.scaling_label && lower_case(*row.scaling_label).find("strong") != std::string::npos &&
         !row.batch_per_gpu;
}

Row row_of(const published::Row& from) {
  Row row{.id = from.id};
  row.series = from.framework + "|" + from.data.value_or("") + "|" +
               from.scaling_label.value_or("") + "|" + from.path;
  row.chip = from.system;
  row.network = from.workload;
  row.precision = from.precision;
  row.phase = from.phase.value_or("");
  row.unit = from.unit;
  row.gpus = number(from.gpus);
  row.batch = printed_or(from, "batch_per_gpu", from.batch_per_gpu);
  row.accumulation = printed_or(from, "accum", number(from.gradient_accumulation_steps));
  row.global_batch = printed_or(from, "global_batch", number(from.global_batch_size));
  row.sequence_length = from.sequence_length;
  if (from.throughput) row.rate = as_printed(*from.throughput);
  if (from.published_speedup) row.speedup = as_printed(*from.published_speedup);
  row.strong = is_strong(from);
  if (from.batch_per_gpu) row.series += "|" + significant(*from.batch_per_gpu, 9);
  return row;
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
  row.rate = as_printed(samples_per_sec);
  return row;
}

// A report says this of itself, and it costs belief.
bool bears_on_belief(const reporting::Finding& finding) {
  const reporting::FindingKind* kind = reporting::find_finding_kind(finding.code);
  return kind && (kind->costs != reporting::VerdictLevel::kQuotable || finding.severity == kError ||
                  kind == &kinds::superlinear);
}

// The groups that were measured; of a single run its point.
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

std::vector<Table> tables_of(const std::vector<published::NamedTable>& tables) {
  std::vector<Table> all;
  for (const published::NamedTable& table : tables) {
    Table one{.name = table.name, .rows = {}};
    for (const published::Row* row : table.rows) {
      if (row->metric.empty() && (row->throughput || row->published_speedup))
        one.rows.push_back(row_of(*row));
    }
    if (!one.rows.empty()) all.push_back(std::move(one));
  }
  return all;
}

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
  // The report judges its efficiencies by their intervals, and its MFU by what the chip calls
  // itself.
  for (Finding& one : lint({&linted.table, 1})) {
    if (one.kind != &kinds::superlinear && one.kind != &kinds::mfu_implausible)
      all.push_back(std::move(one));
  }
  return linted;
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
                         (row.step_s.has_value() || row.time_s.has_value());
    }
  }
  return judged;
}

std::vector<Table> read_tables(std::string_view text, const std::string& file) {
  const std::string ending = lower_case(std::filesystem::path(file).extension().string());
  if (ending == ".jsonl") {
    const auto rows = published::parse_rows(text, file);
    return tables_of(published::tables_of(rows));
  }
  TablesRead read = ending == ".csv" || ending == ".tsv"    ? read_csv(text)
                    : ending == ".html" || ending == ".htm" ? read_html(text)
                                                            : read_markdown(text);
  if (!read.tables.empty()) {
    for (Table& table : read.tables)
      table.name = file + (table.name.empty() ? "" : ", " + table.name);
    return std::move(read.tables);
  }
  const std::string seen = read.headers.empty() ? "it holds no table"
                                                : "these headers are there: " +
                                                      shortened(joined(read.headers, "; "), 200);
  throw bad_data("'" + file + "' has no table of throughputs: " + seen,
                 "a count of GPUs (GPUs, num_gpus, ...) and a throughput (images/sec, throughput, "
                 "...), a time or a speed-up are expected");
}

}  // namespace scalemark::lint
