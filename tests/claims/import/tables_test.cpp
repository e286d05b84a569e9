#include "claims/import/tables.h"

#include <gtest/gtest.h>

#include "claims/rows/table_files.h"
#include "core/base/error.h"

namespace scalemark::importing {
namespace {

std::vector<published::Row> rows_of(const std::string& text, const std::string& file,
                                    const std::string& fields) {
  return read_table_file(text, {.file = file, .group = "My table", .named = false},
                         GivenFields(fields, 1))
      .rows;
}

TEST(TableFile, IsReadThroughLintsReader) {
  const auto rows =
      rows_of("gpus,throughput,batch per gpu,speedup\n1,\"1,000\",32,1.00\n2,1980,32,1.98\n",
              "t.csv", "workload=resnet50,precision=amp_bf16,system=H100,unit=img/s");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, "my-table-0001");
  EXPECT_EQ(rows[0].throughput, 1000);
  EXPECT_EQ(rows[0].printed.at("throughput"), "1,000");
  EXPECT_EQ(rows[0].unit, "img/s");
  EXPECT_EQ(rows[1].gpus, 2);
  EXPECT_EQ(rows[1].line, 3);
  EXPECT_EQ(rows[1].batch_per_gpu, 32);
  EXPECT_EQ(rows[1].published_speedup, 1.98);
  EXPECT_THROW(rows_of("gpus,throughput\n1,1000\n", "t.csv", ""), Error);
  EXPECT_THROW(rows_of("name,licence\na,b\n", "t.csv", ""), Error);
}

std::vector<double> speedups_of(const std::string& text) {
  std::vector<double> all;
  for (const auto& row : rows_of(text, "t.md", "workload=resnet50")) {
    EXPECT_FALSE(row.metric.empty());
    all.push_back(row.published_speedup.value_or(0));
  }
  return all;
}

// Without a rate the speed-ups follow from times, or from efficiencies.
TEST(TableFile, WithoutRatesIsWorthSpeedUps) {
  using Numbers = std::vector<double>;
  EXPECT_EQ(speedups_of("| GPUs | s per epoch |\n|---|---|\n| 1 | 120 |\n| 4 | 32 |\n"),
            (Numbers{1, 3.75}));
  // Both stand for the same: the time is taken.
  EXPECT_EQ(speedups_of("| GPUs | Wall clock time (s) | Scaling efficiency |\n|---|---|---|\n"
                        "| 2 | 9000 | 100 % |\n| 8 | 2500 | 90.0 % |\n"),
            (Numbers{1, 3.6}));
  EXPECT_EQ(speedups_of("| GPUs | Speedup |\n|---|---|\n| 8 | 1.0 |\n| 64 | 7.5 |\n"),
            (Numbers{1, 7.5}));
  // A step on twice the GPUs is twice the work where the batch of each is the same.
  EXPECT_EQ(speedups_of("| GPUs | batch per GPU | ms per step |\n|---|---|---|\n"
                        "| 1 | 32 | 100 |\n| 2 | 32 | 125 |\n"),
            (Numbers{1, 1.6}));
  EXPECT_EQ(speedups_of("| GPUs | ms per step |\n|---|---|\n| 1 | 100 |\n| 2 | 125 |\n"),
            (Numbers{1, 0}));
  const auto rows = rows_of("| GPUs | s per epoch |\n|---|---|\n| 1 | 120 |\n| 4 | 32 |\n", "t.md",
                            "workload=resnet50");
  EXPECT_EQ(rows.back().metric, "epoch_s");
  EXPECT_EQ(rows.back().value, 32);
  EXPECT_EQ(rows.back().note, "speed-up: ratio of the times on 1 to 4");
}

// Nodes are no GPUs, and one count of GPUs is not that of each count of nodes.
TEST(TableFile, OfNodesAsksForTheirGpus) {
  const std::string fields = "workload=resnet50,precision=fp32,system=A100";
  const std::string head = "| Nodes | img/s |\n|---|---|\n| 4 | 81,000 |\n";
  EXPECT_THROW(rows_of(head, "t.md", fields), Error);
  EXPECT_EQ(rows_of(head, "t.md", fields + ",gpus=32").at(0).gpus, 32);
  EXPECT_THROW(rows_of(head + "| 8 | 160,000 |\n", "t.md", fields + ",gpus=32"), Error);
  const auto sized = rows_of(
      "| Nodes | GPUs per node | img/s |\n|---|---|---|\n| 1 | 8 | 21,000 |\n| 4 | 8 | 81,000 |\n",
      "t.md", fields);
  EXPECT_EQ(sized.at(1).gpus, 32);
  EXPECT_EQ(sized.at(1).nodes, 4);
  const auto tables =
      tables::read_tables("| Nodes | img/s |\n|---|---|\n| 1 | 21,000 |\n| 4 | 81,000 |\n", "t.md");
  const auto rows = rows_of_tables(tables, "t.md", GivenFields("", 1));
  EXPECT_FALSE(rows.at(1).gpus);
  EXPECT_EQ(rows.at(1).nodes, 4);
  EXPECT_EQ(rows.at(1).throughput, 81'000);
  // A rate of one GPU says nothing of all where their count is unknown.
  const auto each =
      tables::read_tables("| Nodes | img/s/GPU |\n|---|---|\n| 4 | 2,600 |\n", "t.md");
  EXPECT_TRUE(rows_of_tables(each, "t.md", GivenFields("", 1)).empty());
}

TEST(TableFile, WithACellThatCannotBeReadIsRefused) {
  const std::string text = "|GPUs|img/s|\n|-|-|\n|1|310|\n|2|610-620|\n|4|1.19 k|\n";
  TableRequest request{.file = "t.md", .group = "t", .named = true};
  const GivenFields given("workload=resnet50,precision=fp32,system=A100", 1);
  EXPECT_THROW(read_table_file(text, request, given), Error);
  request.allow_unread = true;
  const auto rows = read_table_file(text, request, given).rows;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].gpus, 4);
  EXPECT_EQ(rows[1].throughput, 1190);
}

TEST(TableFile, HoldsTheNumbersThatItsDecimalSignMeans) {
  const auto rows = rows_of("GPUs;img/s;Speedup\n1;412,5;1,00\n4;1.571,2;3,81\n", "t.csv",
                            "workload=resnet50,precision=fp32,system=A100");
  EXPECT_EQ(rows.at(1).throughput, 1571.2);
  EXPECT_EQ(rows.at(1).published_speedup, 3.81);
}

TEST(TableFile, StepsPerSecondAreNoSamples) {
  const std::string fields = "workload=resnet50,precision=fp32,system=A100";
  const auto rows = rows_of("gpus,it/s,global batch\n8,5.00,64\n", "t.csv", fields);
  EXPECT_EQ(rows.at(0).throughput, 320);
  EXPECT_EQ(rows_of("gpus,it/s\n8,5.00\n", "t.csv", fields).at(0).metric, "step_s");
}

TEST(TableFile, MultipliesRatesOfOneGpu) {
  const auto rows = rows_of("GPUs,images/s per GPU\n8,100\n", "t.csv",
                            "workload=resnet50,precision=fp32,system=A100");
  EXPECT_EQ(rows.front().throughput, 800);
  EXPECT_EQ(rows.front().counts, "rate of one GPU x 8");
}

TEST(TableFile, KeepsPrecisionsThatItsHeadersName) {
  const std::string text =
      "| GPUs | images/s (FP32) | images/s (AMP) |\n|---|---|---|\n| 8x A100 | 3,100 | 6,200 |\n";
  const auto rows = rows_of(text, "t.md", "workload=resnet50,precision=amp_fp16");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].precision, "fp32");
  EXPECT_EQ(rows[1].precision, "amp_fp16");
  EXPECT_EQ(rows[1].system, "A100");
  EXPECT_EQ(rows[1].gpus, 8);
  EXPECT_THROW(rows_of(text, "t.md", "workload=resnet50"), Error);  // the amp is not named
  EXPECT_THROW(rows_of(text, "t.md", "workload=resnet50,precision=fp8"), Error);
}

TEST(TableFile, OfTimmHasALineForEachNetwork) {
  const auto rows = rows_of(
      "model,train_samples_per_sec,train_step_time,train_batch_size,train_img_size,param_"
      "count\nresnet50,812.5,313.2,256,224,25.56\nbroken,,,,,\n",
      "timm.csv", "precision=amp_fp16,system=RTX 4090");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].workload, "resnet50");
  EXPECT_EQ(rows[0].gpus, 1);
  EXPECT_EQ(rows[0].batch_per_gpu, 256);
  EXPECT_EQ(rows[0].throughput, 812.5);
}

TEST(TableFile, OfSuperbenchIsMultipliedByItsGpus) {
  const std::string summary =
      R"({"node": "n0", "kernel-launch/event_time": 0.006, "model-benchmarks:resnet/pytorch-resnet50/fp16_train_throughput": 1200.5, "model-benchmarks:resnet/pytorch-resnet50/fp16_inference_throughput": 9999})";
  const auto one =
      rows_of(summary + "\n" + summary + "\n", "results-summary.jsonl", "gpus=8,system=A100");
  ASSERT_EQ(one.size(), 2u);
  EXPECT_EQ(one[0].workload, "resnet50");
  EXPECT_EQ(one[0].precision, "fp16_cast");
  EXPECT_EQ(one[0].throughput, 9604);
  EXPECT_EQ(one[0].note, "node n0");
  const auto baseline =
      rows_of(R"({"bert_models/pytorch-bert-base/throughput-train-float32": 296.5})",
              "baseline.json", "gpus=4,system=A100");
  EXPECT_EQ(baseline.front().precision, "fp32_or_tf32");
  EXPECT_EQ(baseline.front().throughput, 1186);
  const auto ranks = rows_of(
      R"({"a/pytorch-gpt2-small/bf16_train_throughput:0": 10, "a/pytorch-gpt2-small/bf16_train_throughput:1": 20})",
      "b.json", "system=A100");
  EXPECT_EQ(ranks.front().gpus, 2);
  EXPECT_EQ(ranks.front().throughput, 30);
  EXPECT_THROW(rows_of("{}", "b.json", ""), Error);
}

TEST(TableFile, OfRowsKeepsThem) {
  const std::string row =
      R"({"id": "x-1", "group": "g", "repo": "o/r", "path": "p", "framework": "PyTorch", "system": "A100", "workload": "resnet50", "gpus": 8, "precision": "fp32", "throughput": 5, "unit": "img/s"})";
  const auto rows = rows_of(row + "\n", "r.jsonl", "");
  EXPECT_EQ(rows.front().id, "x-1");
  EXPECT_EQ(rows.front().group, "g");
  const auto named =
      read_table_file(row, {.file = "r.jsonl", .group = "h", .named = true}, GivenFields("", 1));
  EXPECT_EQ(named.rows.front().group, "h");
  for (const char* file : {"a.CSV", "a.txt", "a.html"}) EXPECT_TRUE(is_table_file(file)) << file;
  EXPECT_FALSE(is_table_file("dle-resnet50-a100"));
}

}  // namespace
}  // namespace scalemark::importing
