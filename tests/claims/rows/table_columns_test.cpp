#include "claims/rows/table_columns.h"

#include <gtest/gtest.h>

#include <utility>

namespace scalemark::tables {
namespace {

// The kinds of the columns of a table in CSV.
std::vector<ColumnKind> kinds_of(const char* csv) {
  std::vector<ColumnKind> kinds;
  for (const ColumnMeaning& one : columns_of(csv_table(csv))) kinds.push_back(one.kind);
  return kinds;
}

TEST(TableColumns, CellsTellEfficienciesFromSpeedUps) {
  const std::pair<const char*, ColumnKind> tables[] = {
      {"scaling\n1\n3.9\n", ColumnKind::kSpeedup},
      {"scaling\n100%\n98%\n", ColumnKind::kEfficiency},
      {"scaling\n100%\n393%\n", ColumnKind::kSpeedup}};
  for (const auto& [csv, kind] : tables)
    EXPECT_EQ(kinds_of(csv), std::vector<ColumnKind>{kind}) << csv;
}

TEST(TableColumns, OneColumnOfSetupsIsOfChipsWhereNothingElseCounts) {
  EXPECT_EQ(kinds_of("Machine,ips\n1x A100,5\n8x A100,9\n").front(), ColumnKind::kChip);
  EXPECT_EQ(kinds_of("Run,ips\n1 GPU,5\n8 GPUs,9\n").front(), ColumnKind::kChip);
  EXPECT_EQ(kinds_of("Run,ips\n1 GPU,5\nCPU,9\n").front(), ColumnKind::kOther);
  EXPECT_EQ(kinds_of("Run,GPUs\n8x A100,8\n1x A100,1\n").front(), ColumnKind::kOther);
}

TEST(TableColumns, AHeaderWithACountIsNoColumnOfCounts) {
  EXPECT_EQ(kinds_of("Model,8 GPUs\nA,310\n").back(), ColumnKind::kOther);
}

}  // namespace
}  // namespace scalemark::tables
