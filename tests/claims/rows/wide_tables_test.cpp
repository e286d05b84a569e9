#include "claims/rows/wide_tables.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "claims/lint/lint.h"
#include "claims/rows/read_tables.h"

namespace scalemark::tables {
namespace {

// The rows of a Markdown text's only table.
std::vector<Row> rows_of(const std::string& text) {
  auto read = read_markdown(text);
  return read.tables.size() == 1 ? std::move(read.tables[0].rows) : std::vector<Row>{};
}

// "error line 6, 8 GPUs" for each finding that is no info.
std::vector<std::string> findings_in(const std::string& text) {
  const auto read = read_markdown(text);
  std::vector<std::string> found;
  for (const lint::Finding& one : lint::lint(read.tables)) {
    if (one.severity != "info") found.push_back(one.severity + " " + one.row);
  }
  return found;
}

TEST(WideTables, AColumnForEachCountBecomesRows) {
  const std::string text =
      "Throughput in images/s\n\n|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|310|2,400|\n|B|100|780|\n";
  const auto rows = rows_of(text);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].id, "line 5, 8 GPUs");
  EXPECT_EQ(rows[1].gpus, 8);
  EXPECT_EQ(rows[1].network, "A");
  EXPECT_EQ(rows[1].rate->value, 2400);
  EXPECT_EQ(rows[1].unit, "img/s");
  EXPECT_TRUE(findings_in(text).empty());
}

TEST(WideTables, APlantedErrorIsFoundInEachForm) {
  const std::pair<const char*, const char*> texts[] = {
      {"|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|310 img/s|3,100 img/s|\n", "warning line 3, 8 GPUs"},
      {"|Model|1xA100 (img/s)|8xA100 (img/s)|\n|-|-|-|\n|A|310|3,100|\n",
       "warning line 3, 8x A100"},
      {"|Model|img/s n=1|img/s n=8|\n|-|-|-|\n|A|310|3,100|\n", "warning line 3, 8 GPUs"},
      {"|Model|1 node img/s|4 nodes img/s|\n|-|-|-|\n|A|310|1,500|\n", "warning line 3, 4 nodes"},
      {"|Model|1 GPU img/s|8 GPUs img/s|8 GPUs speedup|\n|-|-|-|-|\n|A|310|2,400|9.9|\n",
       "error line 3, 8 GPUs"},
      {"|Model|1 GPU (tokens/s)|8 GPUs (tokens/s)|Speedup|\n|-|-|-|-|\n|A|310|2,400|6.1x|\n",
       "error line 3, 8 GPUs"},
      {"|GPUs|1|2|8|\n|-|-|-|-|\n|Throughput|310|610|2,400|\n|Speedup|1.0|1.97|9.2|\n",
       "error lines 3 to 4, 8 GPUs"},
      {"|Metric|1 GPU|8 GPUs|\n|-|-|-|\n|Time (s)|800|110|\n|Efficiency|100%|58%|\n",
       "error lines 3 to 4, 8 GPUs"},
      {"<table><tr><th>Model<th>1 GPU (img/s)<th>8 GPUs (img/s)<tr><td>A<td>310<td>3,100</table>",
       "warning line 1, 8 GPUs"}};
  for (const auto& [text, row] : texts)
    EXPECT_EQ(findings_in(text), std::vector<std::string>{row}) << text;
}

TEST(WideTables, TheRightNumbersAreNotFlagged) {
  for (const char* text :
       {"|Model|1 GPU img/s|8 GPUs img/s|8 GPUs speedup|\n|-|-|-|-|\n|A|310|2,400|7.74|\n",
        "|Model|1 GPU|4 GPUs|8 GPUs|Scaling "
        "Efficiency|\n|-|-|-|-|-|\n|A|310/s|1200/s|2,400/s|97%|\n"
        "|B|100/s|390/s|-|97.5%|\n",
        "|GPUs|1|2|8|\n|-|-|-|-|\n|Throughput|310|610|2,400|\n|Speedup|1.0|1.97|7.74|\n",
        // Work that grows with the GPUs.
        "|GPUs|1|2|4|\n|-|-|-|-|\n|time|0.94 s|1.00 s|1.01 s|\n|efficiency||94%|93%|\n",
        // The speed-up of the rates, beside one of the times.
        "|Metric|1 GPU|2 GPU DDP|Speedup|\n|-|-|-|-|\n|Total time|24m 00s|13m 45s|1.75x|\n"
        "|Throughput|250 samples/s|452 samples/s|1.81x|\n|GPU utilization|85%|80%|-|\n",
        "|Metric|1 GPU|4 GPUs|\n|-|-|-|\n|Solver time|48 s|13 s|\n|Speedup|1.0x|3.7x|\n"
        "|Loading time|3 min|5 min|\n",
        // Two networks, whose rows have no names in the second quantity.
        "|Model|Metric|1 GPU|8 GPUs|\n|-|-|-|-|\n|A|img/s|310|2,400|\n||Speedup|1|7.74|\n"
        "|B|img/s|100|780|\n||Speedup|1|7.8|\n"}) {
    EXPECT_FALSE(rows_of(text).empty()) << text;
    EXPECT_TRUE(findings_in(text).empty()) << text;
  }
}

TEST(WideTables, AWordBehindTheCountIsASeries) {
  const auto rows = rows_of(
      "|Model|1 GPU DDP img/s|8 GPUs DDP img/s|1 GPU FSDP img/s|8 GPUs FSDP img/s|\n|-|-|-|-|-|\n"
      "|A|310|2,400|300|2,000|\n");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_NE(rows[0].series, rows[1].series);
  EXPECT_EQ(rows[3].rate->value, 2000);
}

TEST(WideTables, NumbersThatNothingNamesAreNotRead) {
  for (const char* text :
       {"|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|310|2,400|\n",
        "Throughput per GPU at a batch of 32\n|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|310|2,400|\n",
        "### Throughput and memory\n|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|14GB|12GB|\n",
        "Training time\n|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|98%|97%|\n",
        "|Model|GPU 1|GPU 2|\n|-|-|-|\n|A|310 img/s|2,400 img/s|\n",
        // Relative to something else than one GPU.
        "|Model|1 GPU|8 GPUs|\n|-|-|-|\n|A|1.3x|9.0x|\n"}) {
    EXPECT_TRUE(rows_of(text).empty()) << text;
  }
}

TEST(WideTables, ATableWithCountsInItsRowsIsLongAlready) {
  const TextTable table{.name = {},
                        .caption = {},
                        .header = {"GPUs", "1 GPU (img/s)", "8 GPUs (img/s)"},
                        .rows = {{"1", "2", "3"}, {"2", "4", "6"}},
                        .places = {"line 3", "line 4"}};
  EXPECT_FALSE(long_form(table));
}

TEST(WideTables, ManyColumnsAndRowsArePassedOver) {
  TextTable table;
  for (int c = 1; c <= 100; ++c) table.header.push_back(std::to_string(c) + " GPUs img/s");
  table.rows.assign(51, Cells(100, "5"));
  table.places.assign(51, "line 1");
  EXPECT_FALSE(long_form(table));
  table.rows.resize(50);
  EXPECT_EQ(long_form(table)->rows.size(), 5000u);
  // One group of rows that all measure something else.
  TextTable tall{.name = {},
                 .caption = {},
                 .header = Cells(100, "Speedup"),
                 .rows = std::vector<Cells>(2500, Cells(100, "5")),
                 .places = std::vector<std::string>(2500, "line 1")};
  tall.header[0] = "Metric";
  tall.header[1] = "1 GPU";
  tall.header[2] = "8 GPUs";
  for (std::size_t r = 0; r < tall.rows.size(); ++r)
    tall.rows[r][0] = "Time of part " + std::to_string(r);
  EXPECT_TRUE(long_form(tall));
}

}  // namespace
}  // namespace scalemark::tables
