#include "claims/lint/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "claims/rows/row.h"
#include "claims/rows/table_files.h"
#include "core/base/error.h"
#include "tests/report/sample_report.h"

namespace scalemark::lint {
namespace {

TEST(LintInputs, AFileWithoutThroughputsIsRefusedWithItsHeaders) {
  try {
    tables::read_tables("Name | Licence\n---|---\na | b\n", "notes.md");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    EXPECT_NE(error.record().what.find("Name | Licence"), std::string::npos);
  }
}

TEST(LintInputs, TablesAreNamedByFileAndHeading) {
  const auto tables = tables::read_tables("# A\n|GPUs|images/s|\n|-|-|\n|1|10|\n", "blog.md");
  EXPECT_EQ(tables.at(0).name, "blog.md, A");
  EXPECT_EQ(tables::read_tables("gpus,ips\n1,10\n", "t.csv").at(0).name, "t.csv");
  const char* page = "<table><tr><th>GPUs<th>images/s<tr><td>1<td>10</table>";
  for (const char* file : {"t.html", "T.HTM", "t.md"})
    EXPECT_EQ(tables::read_tables(page, file).at(0).name, file);
}

// The library is judged by the cells that its sources print.
TEST(LintInputs, ACorrectedCellIsJudgedAsPrinted) {
  const auto rows = published::parse_rows(
      R"({"id": "x-1", "group": "g", "repo": "o/r", "path": "p", "framework": "f", "system": "s", "workload": "w", "precision": "fp32", "unit": "seq/s", "gpus": 8, "batch_per_gpu": 128, "global_batch": 1024, "throughput": 10.5, "printed": {"batch_per_gpu": "126"}})",
      "there");
  const auto tables = tables::tables_of(published::tables_of(rows));
  EXPECT_EQ(tables.at(0).rows.at(0).batch, 126);
  const auto found = lint(tables);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].kind->code, "batch_product");
}

// docs/LINT.md promises how few of the library's rows are flagged by rules that prove nothing.
TEST(LintInputs, FewRowsOfTheLibraryAreFlagged) {
  const auto rows = published::own_library();
  const auto tables = tables::tables_of(published::tables_of(rows));
  const auto all = static_cast<double>(count_of(tables).rows);
  double unproved = 0, infos = 0;
  for (const Finding& one : lint(tables)) {
    const std::string code = one.kind->code;
    if (one.severity == "info") infos++;
    if (one.severity != "info" && (code == "off_siblings" || code == "copied_cell")) unproved++;
  }
  EXPECT_LE(unproved / all, 0.005);
  EXPECT_LE(infos / all, 0.06);
}

TEST(LintInputs, AReportRepeatsWhatCostsBelief) {
  reporting::Report report;
  report.points.push_back(reporting::sample_point(1));
  reporting::PointRecord& point = report.points.back();
  point.loss_first = 2.0;
  point.loss_last = 1.0;
  report.findings.push_back(reporting::make_finding(reporting::finding_kinds::shared, point.id));
  report.findings.push_back(reporting::make_finding(reporting::finding_kinds::padding, point.id));
  auto found = lint_report(report, "a").findings;
  ASSERT_EQ(found.size(), 1u);
  EXPECT_STREQ(found[0].kind->code, "shared");
  point.loss_last = 2.0;
  found = lint_report(report, "a").findings;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_STREQ(found[1].kind->code, "loss_not_moving");
}

}  // namespace
}  // namespace scalemark::lint
