#include "core/lint/read_tables.h"

#include <gtest/gtest.h>

namespace scalemark::lint {
namespace {

TEST(ReadPrinted, GrantsOneUnitOfTheLastDigit) {
  const auto rate = read_printed("3,100 img/s").value();
  EXPECT_EQ(rate.value, 3100);
  EXPECT_EQ(rate.low(), 3099);
  EXPECT_EQ(rate.text, "3,100");
  EXPECT_DOUBLE_EQ(read_printed("**12.4x**")->low(), 12.3);
  EXPECT_DOUBLE_EQ(read_printed("~ 98.50 %")->unit, 0.01);
  EXPECT_EQ(read_printed("310k")->value, 310'000);
  EXPECT_EQ(read_printed("310k")->unit, 1000);
  EXPECT_EQ(read_printed("1,2,3")->value, 1);
  for (const char* text : {"", "-", "n/a", "A100"}) EXPECT_FALSE(read_printed(text)) << text;
}

TEST(ReadMarkdown, TakesEachTableWithItsHeading) {
  const auto read = read_markdown(
      "# Blog\n\nwords | that are no table\n\n## Results\n\n| GPUs | images/s | Speed-up "
      "|\n|---|:--:|---|\n| 1 | 310 | 1.0x |\n| 8 | 3,100 | 12.4x |\n\n"
      "Name | Licence\n---|---\na | b\n");
  ASSERT_EQ(read.tables.size(), 1u);
  EXPECT_EQ(read.tables[0].name, "Results");
  ASSERT_EQ(read.tables[0].rows.size(), 2u);
  const Row& row = read.tables[0].rows[1];
  EXPECT_EQ(row.id, "line 10");
  EXPECT_EQ(row.gpus, 8);
  EXPECT_EQ(row.rate->value, 3100);
  EXPECT_EQ(row.speedup->value, 12.4);
  EXPECT_EQ(read.headers, std::vector<std::string>{"Name | Licence"});
}

// The form of NVIDIA's READMEs: a column of rates and one of speed-ups for each precision.
TEST(ReadMarkdown, MakesARowOfEachPrecision) {
  const auto read = read_markdown(
      "| GPUs | Throughput - TF32 | Throughput - mixed precision | Throughput speedup (TF32 to "
      "mixed precision) | TF32 Strong Scaling | Mixed Precision Strong "
      "Scaling |\n|-|-|-|-|-|-|\n| 1 | 938 img/s | 2470 img/s | 2.63x | 1.0x | 1.0x |\n| 8 | 7248 "
      "img/s | 16621 img/s | 2.29x | 7.72x | 6.72x |\n");
  ASSERT_EQ(read.tables.size(), 1u);
  const auto& rows = read.tables[0].rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].precision, "tf32");
  EXPECT_EQ(rows[2].rate->value, 7248);
  EXPECT_EQ(rows[2].speedup->value, 7.72);
  EXPECT_TRUE(rows[2].ratios.empty());
  EXPECT_EQ(rows[3].precision, "amp");
  EXPECT_EQ(rows[3].speedup->value, 6.72);
  ASSERT_EQ(rows[3].ratios.size(), 1u);
  EXPECT_EQ(rows[3].ratios[0].from, "tf32");
}

TEST(ReadMarkdown, ASpeedUpBesideTwoPrecisionsIsOfTheSecond) {
  const auto read = read_markdown(
      "| GPUs | fp32 img/s | fp16 img/s | fp16 speedup |\n|-|-|-|-|\n| 1 | 100 | 250 | 2.5x |\n");
  ASSERT_EQ(read.tables.size(), 1u);
  ASSERT_EQ(read.tables[0].rows.size(), 2u);
  EXPECT_FALSE(read.tables[0].rows[1].speedup);
  EXPECT_EQ(read.tables[0].rows[1].ratios.at(0).from, "fp32");
}

TEST(ReadMarkdown, CountsAndChipsMayShareACell) {
  const auto read = read_markdown(
      "| GPU | samples/s |\n|-|-|\n| 1x A100 80GB | 100 |\n| 8 x A100 80GB | 700 |\n");
  ASSERT_EQ(read.tables.size(), 1u);
  EXPECT_EQ(read.tables[0].rows[1].gpus, 8);
  EXPECT_EQ(read.tables[0].rows[1].chip, "A100 80GB");
}

TEST(ReadCsv, TakesQuotesSemicolonsAndTabs) {
  const auto read =
      read_csv("num_gpus;\"throughput\";efficiency\r\n1;\"1,000\";100 %\r\n4;3900;97.5 %\r\n");
  ASSERT_EQ(read.tables.size(), 1u);
  EXPECT_EQ(read.tables[0].rows[0].rate->value, 1000);
  EXPECT_DOUBLE_EQ(read.tables[0].rows[1].efficiency->value, 0.975);
  EXPECT_EQ(read.tables[0].rows[1].id, "line 3");
  EXPECT_EQ(read_csv("gpus\tips\n2\t10\n").tables.size(), 1u);
}

TEST(ReadCsv, ABatchPerGpuThatFallsIsStrongScaling) {
  const auto read = read_csv("gpus,batch per gpu,images/s\n1,256,100\n2,128,210\n");
  EXPECT_FALSE(read.tables.at(0).rows[0].strong);
  EXPECT_TRUE(read.tables.at(0).rows[1].strong);
}

TEST(ReadMarkdown, SurvivesTextThatIsNoTable) {
  for (const char* text :
       {"", "|", "|\n|-", "a|b\n-|-\n", "|-|\n|-|\n", "GPUs|images/s\n-|-\n|||||||\n"}) {
    EXPECT_TRUE(read_markdown(text).tables.empty()) << text;
    EXPECT_TRUE(read_csv(text).tables.empty()) << text;
  }
}

}  // namespace
}  // namespace scalemark::lint
