// Lint judges our own reports as tables, too, besides those of others (claims/rows/table_files.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "claims/lint/lint.h"
#include "report/record/report.h"

namespace scalemark::lint {

// A report as for_people() leaves it. `table`: its groups that were measured, or of a single run
// its point; those of which too few runs were fit (groundless()) are compared with none.
// `findings`: its own that bear on whether to believe it, losses that do not move, and the table's.
struct LintedReport {
  Table table;
  std::vector<Finding> findings;
};
LintedReport lint_report(const reporting::Report& report, const std::string& name);

// For the first line of a result.
Judged count_of(std::span<const Table> tables);

}  // namespace scalemark::lint
