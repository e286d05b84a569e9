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

// A comma that groups thousands looks like one that separates.
TEST(TextTables, ARowWithACellTooManyIsOneTextInEach) {
  const auto table = csv_table("GPUs,img/s\n1,2750\n4,10100,,\n8,20,000 img/s\n");
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1], (Cells{"4", "10100"}));
  EXPECT_EQ(table.rows[2], (Cells{"8, 20, 000 img/s", "8, 20, 000 img/s"}));
}

}  // namespace
}  // namespace scalemark::tables
