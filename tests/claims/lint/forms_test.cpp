#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "claims/lint/lint.h"
#include "core/base/error.h"

namespace scalemark::lint {
namespace {

namespace kinds = reporting::finding_kinds;

const std::vector<Finding> kFound = {
    {&kinds::not_the_ratio, "error", "blog.md", "line 6", "12.4x is printed"},
    {&kinds::kink, "info", "blog.md", "line 7", "less | more"}};

TEST(LintForms, TheFirstLineCounts) {
  const std::string text = findings_text(kFound, {.tables = 1, .rows = 2}, {});
  EXPECT_TRUE(
      text.starts_with("1 table, 2 rows: 1 error, 1 info\n\nblog.md\n  error line 6: 12.4x is "
                       "printed [not_the_ratio]\n"))
      << text;
  EXPECT_NE(text.find("scalemark lint --explain not_the_ratio"), std::string::npos);
  EXPECT_EQ(findings_text({}, {.tables = 2, .rows = 9, .compared = 5}, {}),
            "2 tables, 9 rows: nothing contradicts itself in 5 numbers that could be held against "
            "others\n");
  EXPECT_EQ(findings_text({}, {.tables = 1, .rows = 1}, {}),
            "1 table, 1 row: no number could be held against another\n");
}

TEST(LintForms, JsonHasALineForEach) {
  const std::string text = json_lines(kFound);
  const auto first = nlohmann::json::parse(text.substr(0, text.find('\n')));
  EXPECT_EQ(first, (nlohmann::json{{"code", "not_the_ratio"},
                                   {"severity", "error"},
                                   {"table", "blog.md"},
                                   {"row", "line 6"},
                                   {"text", "12.4x is printed"}}));
}

TEST(LintForms, EachCodeOfATableIsExplained) {
  for (const reporting::FindingKind& kind : reporting::all_finding_kinds()) {
    if (kind.scope != reporting::FindingScope::kOfTable) continue;
    EXPECT_NE(explanation_text(kind.code, {}).find("example"), std::string::npos) << kind.code;
    EXPECT_NE(explanations_markdown().find(kind.code), std::string::npos) << kind.code;
  }
  EXPECT_THROW(explanation_text("nothing", {}), Error);
}

}  // namespace
}  // namespace scalemark::lint
