#include "claims/rows/text_tables.h"

#include <gtest/gtest.h>

namespace scalemark::tables {
namespace {

TEST(TextTables, APipeMayBeEscapedAndEdgesMayLack) {
  const auto tables = pipe_tables("## A\n\na | b\n--- | ---\n1 \\| 2 | 3\n\n|c|\n|-|\n|4|\n|5|\n");
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].name, "A");
  EXPECT_EQ(tables[0].rows.at(0), (Cells{"1 | 2", "3"}));
  EXPECT_EQ(tables[1].rows.size(), 2u);
  EXPECT_EQ(tables[1].places.at(1), "line 10");
}

TEST(TextTables, AQuotedFieldHoldsSeparatorsAndQuotes) {
  const auto table = csv_table("a,b\n\"1,\"\"x\"\"\",2\n\n3,4\n");
  EXPECT_EQ(table.header, (Cells{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0], (Cells{"1,\"x\"", "2"}));
}

}  // namespace
}  // namespace scalemark::tables
