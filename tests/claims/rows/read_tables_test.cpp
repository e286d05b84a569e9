#include "claims/rows/read_tables.h"

#include <gtest/gtest.h>

#include "claims/lint/lint.h"

namespace scalemark::tables {
namespace {

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

TEST(ReadMarkdown, ATextThatDiffersInEachRowIsALabel) {
  const auto read =
      read_markdown("|Run|GPUs|images/s|Remark|\n|-|-|-|-|\n|a|1|100|first|\n|b|8|760|second|\n");
  const auto series = series_of(read.tables.at(0));
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].size(), 2u);
}

TEST(ReadMarkdown, RowsMayDescendAndBlankCellsContinue) {
  const auto down = read_markdown("|GPUs|images/s|\n|-|-|\n|64|24800|\n|8|3080|\n|1|400|\n");
  ASSERT_EQ(series_of(down.tables.at(0)).size(), 1u);
  EXPECT_EQ(series_of(down.tables.at(0))[0].front()->gpus, 1);
  const auto blank =
      read_markdown("|Model|GPUs|images/s|\n|-|-|-|\n|A|1|100|\n||8|760|\n|B|1|50|\n||8|390|\n");
  ASSERT_EQ(series_of(blank.tables.at(0)).size(), 2u);
  EXPECT_EQ(series_of(blank.tables.at(0))[0].size(), 2u);
}

TEST(ReadMarkdown, NodesTimesGpusPerNodeAreTheGpus) {
  const auto read =
      read_markdown("|Nodes|GPUs per node|images/s|\n|-|-|-|\n|1|8|6100|\n|4|8|20180|\n");
  EXPECT_EQ(read.tables.at(0).rows.at(1).gpus, 32);
}

TEST(ReadMarkdown, RatesThatAWordTellsApartAreTwoSeries) {
  const auto read = read_markdown(
      "|GPUs|DDP img/s|FSDP img/s|DDP speedup|FSDP "
      "speedup|\n|-|-|-|-|-|\n|1|400|380|1.0|1.0|\n|8|3000|2500|7.5|6.6|\n");
  const auto& rows = read.tables.at(0).rows;
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].speedup->value, 7.5);
  EXPECT_EQ(rows[3].speedup->value, 6.6);
  EXPECT_EQ(series_of(read.tables[0]).size(), 2u);
}

TEST(ReadMarkdown, ASpeedUpOverAnotherProgramIsNotJudged) {
  const auto read = read_markdown(
      "|GPUs|images/s|Speedup over 1 GPU|Speedup over "
      "TensorFlow|\n|-|-|-|-|\n|1|400|1.00|1.12|\n|8|3080|7.70|1.35|\n");
  EXPECT_EQ(read.tables.at(0).rows.at(1).speedup->value, 7.70);
}

TEST(ReadCsv, DecimalCommasStandBetweenSemicolons) {
  const auto read = read_csv("GPUs;images/s;Speedup\n1;812,5;1,0\n4;3120,1;4,8\n");
  EXPECT_EQ(read.tables.at(0).rows.at(1).rate->value, 3120.1);
  EXPECT_EQ(read.tables.at(0).rows.at(1).speedup->value, 4.8);
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

TEST(ReadCsv, ARowWithACellTooManyIsUnread) {
  for (const char* row : {"8,20,000 img/s,7.3", "8,20,000,7.3", "8,2,750,000,7.3",
                          "1,024,20,000,7.3", "8,20000,7.3,a,b"}) {
    const auto read = read_csv("GPUs,img/s,speedup\n1,2750,1.0\n" + std::string(row) + "\n");
    ASSERT_EQ(read.tables.size(), 1u) << row;
    EXPECT_EQ(read.tables[0].rows.size(), 1u) << row;
    EXPECT_EQ(read.tables[0].unread.cells, 3u) << row;
  }
}

// A cell that no row takes is told, whatever its column.
TEST(ReadCsv, NumbersThatCannotBeAreUnread) {
  const std::string columns[] = {"GPUs", "batch per gpu", "images/s", "time (s)", "MFU"};
  for (std::size_t bad = 0; bad < std::size(columns); ++bad) {
    for (const char* cell : {"nan", "NaN", "inf", "-inf", "Infinity", "+inf img/s", "0", "-3"}) {
      std::string head, row;
      for (std::size_t c = 0; c < std::size(columns); ++c) {
        head += columns[c] + (c + 1 < std::size(columns) ? "," : "\n");
        row += (c == bad ? std::string(cell) : "4") + (c + 1 < std::size(columns) ? "," : "\n");
      }
      const auto read = read_csv(head + "1,4,310,40,0.4\n2,4,600,21,0.4\n" + row);
      ASSERT_EQ(read.tables.size(), 1u) << columns[bad];
      EXPECT_EQ(read.tables[0].unread.cells, 1u) << columns[bad] << ": " << cell;
      EXPECT_EQ(read.tables[0].unread.text, cell) << columns[bad];
    }
  }
  for (const char* cell : {"2.5", "-3 GPUs", "0x A100", "1e9"}) {
    const auto read = read_csv("GPUs,images/s\n1,310\n" + std::string(cell) + ",600\n");
    EXPECT_EQ(read.tables.at(0).unread.cells, 1u) << cell;
    EXPECT_EQ(read.tables[0].rows.size(), 1u) << cell;
  }
  const auto ratios = read_csv("GPUs,speed-up\n1,1\n2,0\n4,-3\n8,nan\n");
  EXPECT_EQ(ratios.tables.at(0).unread.cells, 3u);
}

TEST(ReadCsv, NothingIsUnreadWhereNothingIsWrong) {
  for (const char* table :
       {"GPUs,images/s,communication time (s)\n1,310,0\n2,600,1.5\n",
        "GPUs,images/s,gain\n1,310,0 %\n2,300,-3 %\n", "GPUs,images/s,note\n1,310,nan\n2,600,-\n",
        "GPUs,images/s\n1,-\n2,n/a\n4,700\n"}) {
    EXPECT_EQ(read_csv(table).tables.at(0).unread.cells, 0u) << table;
  }
  // A loss that is no number makes no series of its own.
  const auto read = read_csv("GPUs,images/s,loss\n1,310,2.5\n2,600,nan\n4,1100,inf\n");
  ASSERT_EQ(series_of(read.tables.at(0)).size(), 1u);
  EXPECT_EQ(series_of(read.tables[0])[0].size(), 3u);
}

TEST(ReadCsv, ABatchPerGpuThatFallsIsStrongScaling) {
  const auto read = read_csv("gpus,batch per gpu,images/s\n1,256,100\n2,128,210\n");
  EXPECT_FALSE(read.tables.at(0).rows[0].strong);
  EXPECT_TRUE(read.tables.at(0).rows[1].strong);
}

TEST(ReadMarkdown, SetupsNameCountsOfGpus) {
  const auto read = read_markdown(
      "|Setup|images/s|\n|-|-|\n|1 node x 8 H100|20,000|\n|2 nodes x 8 H100|39,000|\n|4x8 "
      "H100|76,000|\n");
  const auto& rows = read.tables.at(0).rows;
  EXPECT_EQ(rows.at(1).gpus, 16);
  EXPECT_EQ(rows.at(2).gpus, 32);
  EXPECT_EQ(rows.at(2).chip, "H100");
  EXPECT_EQ(series_of(read.tables[0]).size(), 1u);
  // A setup without GPUs is nothing that could be compared.
  EXPECT_TRUE(read_markdown("|Setup|images/s|\n|-|-|\n|8 GPUs|10|\n|CPU|1|\n").tables.empty());
}

TEST(ReadMarkdown, ACellOfGpusMaySayMoreThanTheCount) {
  const auto rows =
      read_markdown("|GPUs|img/s|\n|-|-|\n|4 (1 node)|10|\n|2 nodes x 8|40|\n|2 x 16|80|\n")
          .tables.at(0)
          .rows;
  EXPECT_EQ(rows.at(0).gpus, 4);
  EXPECT_EQ(rows.at(1).gpus, 16);
  EXPECT_EQ(rows.at(2).gpus, 32);
}

TEST(ReadMarkdown, NodesOfAnUnknownSizeAreNoGpus) {
  const auto read = read_markdown(
      "|Nodes|Batch per GPU|Global batch|img/s|\n|-|-|-|-|\n|1|64|512|10|\n|2|64|1024|19|\n");
  EXPECT_TRUE(read.tables.at(0).rows.at(1).counts_nodes);
  EXPECT_TRUE(lint::lint(read.tables).empty());
}

TEST(ReadMarkdown, WorkersAndInstancesAreNodesToo) {
  for (const char* head : {"Workers", "Hosts", "Instances", "# of workers"}) {
    const auto read = read_markdown("|" + std::string(head) + "|img/s|\n|-|-|\n|1|10|\n|2|19|\n");
    const Row& row = read.tables.at(0).rows.at(1);
    EXPECT_TRUE(row.counts_nodes) << head;
    EXPECT_EQ(row.nodes, 2) << head;
  }
  // Workers beside GPUs load data, or stand for their number.
  const Row loads =
      read_markdown("|GPUs|Workers|img/s|\n|-|-|-|\n|4|16|10|\n").tables.at(0).rows.at(0);
  EXPECT_EQ(loads.gpus, 4);
  EXPECT_FALSE(loads.nodes);
  EXPECT_FALSE(loads.counts_nodes);
  EXPECT_EQ(read_markdown("|GPU workers|img/s|\n|-|-|\n|4|10|\n").tables.at(0).rows.at(0).gpus, 4);
}

TEST(ReadMarkdown, ATableWithoutRowsIsNone) {
  for (const char* heads :
       {"|GPU|img/s|\n|-|-|\n", "|GPUs|V100 img/s|A100 img/s|speedup|\n|-|-|-|-|\n",
        "|Instances|img/s|\n|-|-|\n"}) {
    EXPECT_TRUE(read_markdown(heads).tables.empty()) << heads;
  }
  EXPECT_TRUE(read_csv("GPU,img/s\n", /*tabs=*/false).tables.empty());
}

TEST(ReadMarkdown, SamplesPerSecondAreTheRateBesideSteps) {
  const auto read = read_markdown(
      "|GPUs|img/s|it/s|speedup|\n|-|-|-|-|\n|1|340|1.33|1.0|\n|8|2,560|10.0|7.53|\n");
  const auto& rows = read.tables.at(0).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].rate->value, 2560);
  EXPECT_EQ(rows[1].unit, "img/s");
  EXPECT_EQ(rows[1].speedup->value, 7.53);
}

TEST(ReadMarkdown, ARateKeepsTheUnitOfItsCellsAndThousands) {
  const auto unit = [](const std::string& head, const std::string& cell) {
    return read_markdown("|GPUs|" + head + "|\n|-|-|\n|8|" + cell + "|\n").tables.at(0).rows.at(0);
  };
  EXPECT_EQ(unit("Throughput", "21,000 img/s").unit, "img/s");
  EXPECT_EQ(unit("Throughput", "24k tok/s").unit, "tokens/s");
  EXPECT_EQ(unit("Throughput", "21,000").unit, "samples/s");
  EXPECT_EQ(unit("throughput (k img/s)", "17").rate->value, 17'000);
  EXPECT_EQ(unit("img/s (k)", "17").rate->text, "17k");
  EXPECT_EQ(unit("k img/s", "17k").rate->value, 17'000);
  EXPECT_EQ(unit("img/s", "16.400,0").rate->value, 16'400);
  const auto both = read_markdown(
      "|GPUs|Throughput|Throughput per GPU|\n|-|-|-|\n|4|1,240 img/s|310|\n|8|2,400 img/s|300|\n");
  ASSERT_EQ(both.tables.at(0).rows.size(), 2u);
  EXPECT_EQ(both.tables.at(0).rows.at(1).rate_per_gpu->value, 300);
}

TEST(ReadMarkdown, AThroughputRelativeToTheFirstIsASpeedUp) {
  const auto rows =
      read_markdown("|GPUs|Throughput scaling|\n|-|-|\n|1|1.00|\n|2|1.85|\n").tables.at(0).rows;
  EXPECT_FALSE(rows.at(1).rate);
  EXPECT_EQ(rows.at(1).speedup->value, 1.85);
}

// Its first row prints 1, and the others say that it is no speed-up over one GPU.
TEST(ReadMarkdown, ASpeedUpThatIsTheRatioOfTwoRatesComparesPrograms) {
  const std::string head = "|GPUs|baseline img/s|ours img/s|speedup|\n|-|-|-|-|\n";
  const auto read =
      read_markdown(head + "|1|2,390|2,400|1.00x|\n|2|4,000|4,720|1.18x|\n|4|7,400|9,180|1.24x|\n");
  ASSERT_EQ(read.tables.at(0).rows.size(), 6u);
  EXPECT_FALSE(read.tables[0].rows[3].speedup);
  EXPECT_EQ(read.tables[0].rows[3].ratios.at(0).from, "baseline");
  EXPECT_TRUE(lint::lint(read.tables).empty());
  const auto over_gpus =
      read_markdown(head + "|1|2,390|2,400|1.00x|\n|2|4,400|4,700|1.96x|\n|4|8,000|9,400|3.9x|\n");
  EXPECT_EQ(over_gpus.tables.at(0).rows.at(3).speedup->value, 1.96);
}

TEST(ReadMarkdown, ALatencyIsThatOfItsPrecision) {
  const auto read = read_markdown(
      "|GPUs|Throughput - TF32|Throughput - AMP|Latency - TF32 (ms)|Latency - AMP (ms)|Latency p99 "
      "(ms)|\n|-|-|-|-|-|-|\n|1|100|250|10|4|99|\n");
  const auto& rows = read.tables.at(0).rows;
  EXPECT_DOUBLE_EQ(rows.at(0).step_s->value, 0.010);
  EXPECT_DOUBLE_EQ(rows.at(1).step_s->value, 0.004);
}

// Each prints true numbers in a form that somebody uses.
TEST(ReadMarkdown, TrueNumbersAreNotFlagged) {
  for (const char* text :
       {// A ratio of precisions may be said the other way round.
        "|GPUs|fp32 img/s|amp img/s|Speedup (amp to fp32)|\n|-|-|-|-|\n|1|100|250|2.5|\n",
        // A scaling of 393 % is a speed-up.
        "|GPUs|fp32 img/s|fp32 scaling|\n|-|-|-|\n|1|100|100%|\n|4|393|393%|\n",
        // The first row has the most GPUs.
        "|GPUs|fp32 img/s|amp img/s|fp32 scaling|amp scaling|\n|-|-|-|-|-|\n"
        "|8|760|1800|7.6|7.2|\n|1|100|250|1.0|1.0|\n",
        // Mixed precision against TF32, in times.
        "|GPUs|Time TF32 (h)|Time AMP (h)|Speed-up with AMP|\n|-|-|-|-|\n|1|14|12|1.17|\n"
        "|8|2|1.8|1.11|\n",
        // A batch of 32 sequences is also printed in tokens.
        "|GPUs|Micro batch|Global batch|Global batch (T)|tokens/s|\n|-|-|-|-|-|\n"
        "|8|4|32|65536|90000|\n",
        // A split network has fewer copies than GPUs.
        "|GPUs|TP|Micro batch|Global batch|tokens/s|\n|-|-|-|-|-|\n|8|8|4|4|90000|\n",
        // Sharding leaves room for a larger batch, which is faster.
        "|GPUs|Micro batch|tokens/s|\n|-|-|-|\n|8|2|1000|\n|16|8|2400|\n"}) {
    const auto read = read_markdown(text);
    ASSERT_EQ(read.tables.size(), 1u) << text;
    for (const lint::Finding& one : lint::lint(read.tables))
      EXPECT_EQ(one.severity, "info") << text << one.text;
  }
}

TEST(ReadHtml, TheNameIsTheHeadingAbove) {
  const auto read = read_html(
      "<h1>Results</h1>\n<table>\n<tr><th>GPUs</th><th>images/s</th></tr>\n"
      "<tr><td>1</td><td>310</td></tr>\n<tr><td>8</td><td>3&nbsp;100</td></tr>\n</table>\n");
  ASSERT_EQ(read.tables.size(), 1u);
  EXPECT_EQ(read.tables[0].name, "Results");
  EXPECT_EQ(read.tables[0].rows.at(1).rate->value, 3100);
  EXPECT_EQ(read.tables[0].rows.at(1).id, "line 5");
}

TEST(ReadMarkdown, SurvivesTextThatIsNoTable) {
  for (const char* text :
       {"", "|", "|\n|-", "a|b\n-|-\n", "|-|\n|-|\n", "GPUs|images/s\n-|-\n|||||||\n"}) {
    EXPECT_TRUE(read_markdown(text).tables.empty()) << text;
    EXPECT_TRUE(read_csv(text).tables.empty()) << text;
  }
}

}  // namespace
}  // namespace scalemark::tables
