// Lint judges these, as tables: rows of the published library, files that somebody wrote, and our
// own reports. Reads texts, no files.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/lint/lint.h"
#include "claims/rows/names.h"
#include "report/record/report.h"

namespace scalemark::lint {

// Rows with a throughput or a speed-up.
std::vector<Table> tables_of(const std::vector<published::NamedTable>& tables);

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

// The tables of a file by its ending: .csv and .tsv, .jsonl (rows as in results/published), .html
// and .htm, else Markdown. Throws bad_data() (65), with the headers that were seen, where none
// holds throughputs.
std::vector<Table> read_tables(std::string_view text, const std::string& file);

}  // namespace scalemark::lint
