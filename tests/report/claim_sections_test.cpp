#include "report/say/render/sections/claim_sections.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/report/sample_report.h"

namespace scalemark::reporting {
namespace {

TEST(ClaimSections, SayWhatWasMeasuredAndWhatWasNot) {
  std::vector<ClaimRecord> claims = sample_report(2, true).claims;
  ASSERT_EQ(claims.size(), 1u);
  claims.push_back({.row = "pub-1742",
                    .what = "resnet50, 4 GPUs",
                    .metric = "samples_per_sec",
                    .claimed_low = 1200,
                    .verdict = ClaimVerdict::kNotMeasured,
                    .reason = "no report holds 4 GPUs"});
  claims.push_back(
      {.row = "pub-1743", .verdict = ClaimVerdict::kNotTestable, .reason = "no ranks"});
  const Section section = claims_section(claims);
  std::map<std::string, std::vector<std::string>> columns;
  for (const Column& column : section.columns) columns[column.head[0]] = column.cells;
  using Cells = std::vector<std::string>;
  EXPECT_EQ(columns["row"], (Cells{"pub-1741", "pub-1742"}));
  EXPECT_EQ(columns["claimed"], (Cells{"0.8 to 0.85", "at least 1200"}));
  EXPECT_EQ(columns["measured (95 %)"], (Cells{"0.97 (0.96 to 0.98)", "-"}));
  EXPECT_EQ(columns["verdict"], (Cells{"differs here", "not measured"}));
  EXPECT_EQ(section.lines, (Cells{"pub-1741 differs here: other machine",
                                  "pub-1742 not measured: no report holds 4 GPUs",
                                  "pub-1743 not testable: no ranks",
                                  "3 claims: 1 differs here, 1 not measured, 1 not testable"}));
}

}  // namespace
}  // namespace scalemark::reporting
