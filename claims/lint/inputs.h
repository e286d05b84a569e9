// Makes tables of our own reports, so that lint judges them like those of others
// (claims/rows/table_files.h), and says which published rows it finds impossible.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "claims/lint/lint.h"
#include "claims/rows/row.h"
#include "report/record/report.h"

namespace scalemark::lint {

// A report as for_people() leaves it. `table` holds its groups that were measured, or a single
// run's point; groups with too few undisturbed runs (groundless()) are compared with none.
// `findings` holds the report's own findings that bear on whether to believe it, losses that do not
// change, and the table's findings.
struct LintedReport {
  Table table;
  std::vector<Finding> findings;
};
LintedReport lint_report(const reporting::Report& report, const std::string& name);

// Returns by the id of a row why it cannot be true: the errors of its table.
std::map<std::string, std::string> impossible_rows(std::span<const published::Row> rows);

// Returns the other rows: only these are the measure of what somebody else has measured.
std::vector<published::Row> believable(std::span<const published::Row> rows);

// Counts what the first line of a result names.
Judged count_of(std::span<const Table> tables);

}  // namespace scalemark::lint
