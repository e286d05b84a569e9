#include "claims/rows/columns.h"

#include <gtest/gtest.h>

namespace scalemark::tables {
namespace {

using Precisions = std::vector<std::string>;

TEST(Columns, AreKnownByTheWordsThatTablesUse) {
  const std::pair<const char*, ColumnKind> headers[] = {
      {"GPUs", ColumnKind::kGpus},
      {"num_gpus", ColumnKind::kGpus},
      {"# of GPUs", ColumnKind::kGpus},
      {"World Size", ColumnKind::kGpus},
      {"**Nodes**", ColumnKind::kNodes},
      {"GPU", ColumnKind::kChip},
      {"GPU model", ColumnKind::kChip},
      {"Model", ColumnKind::kNetwork},
      {"images/sec", ColumnKind::kRate},
      {"Throughput - mixed precision", ColumnKind::kRate},
      {"Throughput (img/s)", ColumnKind::kRate},
      {"samples per second", ColumnKind::kRate},
      {"img/s/GPU", ColumnKind::kRatePerGpu},
      {"Throughput per GPU", ColumnKind::kRatePerGpu},
      {"tokens/s/GPU", ColumnKind::kRatePerGpu},
      {"Speedup", ColumnKind::kSpeedup},
      {"Speed-up", ColumnKind::kSpeedup},
      {"TF32 Strong Scaling", ColumnKind::kSpeedup},
      {"Throughput speedup (TF32 - mixed precision)", ColumnKind::kPrecisionRatio},
      {"Scaling efficiency (%)", ColumnKind::kEfficiency},
      {"Scaling %", ColumnKind::kEfficiency},
      {"Batch size / GPU", ColumnKind::kBatchPerGpu},
      {"Batch Size", ColumnKind::kBatch},
      {"Global batch", ColumnKind::kGlobalBatch},
      {"Accumulation steps", ColumnKind::kAccumulation},
      {"ms/step", ColumnKind::kStepTime},
      {"Step time (s)", ColumnKind::kStepTime},
      {"Time per epoch (min)", ColumnKind::kEpochTime},
      {"Time (s)", ColumnKind::kTime},
      {"Precision", ColumnKind::kPrecision},
      {"Seq len", ColumnKind::kSequence},
      {"gpu_num_per_node", ColumnKind::kGpusPerNode},
      {"node_num", ColumnKind::kNodes},
      {"TP", ColumnKind::kParallel},
      {"MP Mode", ColumnKind::kOther},
      {"GlobalBatchSize (T)", ColumnKind::kOther},
      {"Latency p99 (ms)", ColumnKind::kOther},
      {"TFLOP/s per GPU", ColumnKind::kFlops},
      {"Bandwidth (GB/s)", ColumnKind::kOther},
      {"GPU utilization", ColumnKind::kOther},
      {"Images / sec", ColumnKind::kRate},
      {"images/min", ColumnKind::kRate},
      {"GPU hours", ColumnKind::kGpuHours},
      {"ms per image", ColumnKind::kSampleTime},
      {"Epochs", ColumnKind::kEpochs},
      {"Steps", ColumnKind::kSteps},
      {"Top-1 (%)", ColumnKind::kAccuracy},
      {"Nombre de GPU", ColumnKind::kGpus},
      {"total_gpu", ColumnKind::kGpus},
      {"wall_clock_time_s", ColumnKind::kTime},
      {"Licence", ColumnKind::kOther},
  };
  for (const auto& [header, kind] : headers) {
    EXPECT_EQ(static_cast<int>(meaning_of(header).kind), static_cast<int>(kind)) << header;
  }
}

TEST(Columns, TimesAreInSeconds) {
  EXPECT_EQ(meaning_of("ms/step").factor, 1e-3);
  EXPECT_EQ(meaning_of("Time per epoch (min)").factor, 60);
  EXPECT_EQ(meaning_of("Step time (s)").factor, 1);
  EXPECT_DOUBLE_EQ(meaning_of("images/min").factor, 1.0 / 60);
  EXPECT_EQ(meaning_of("Throughput (k tokens/s)").factor, 1000);
}

TEST(Columns, ASentenceNamesOneQuantityOrNone) {
  const std::pair<const char*, ColumnKind> sentences[] = {
      {"Training throughput in images/s", ColumnKind::kRate},
      {"Tokens/s/GPU of all models", ColumnKind::kRatePerGpu},
      {"Training time (hours)", ColumnKind::kTime},
      {"Unit in ms, batch 1", ColumnKind::kTime},
      {"Speedup of training", ColumnKind::kSpeedup},
      {"Throughput and time to train", ColumnKind::kOther},
      {"Throughput at a batch of 32 per GPU", ColumnKind::kOther},
      {"Scaling", ColumnKind::kOther}};
  for (const auto& [sentence, kind] : sentences) {
    EXPECT_EQ(static_cast<int>(meaning_of_prose(sentence).kind), static_cast<int>(kind))
        << sentence;
  }
}

TEST(Columns, PrecisionsStandInTheOrderOfTheText) {
  EXPECT_EQ(precisions_in("Speedup TF32 to mixed precision"), (Precisions{"tf32", "amp"}));
  EXPECT_EQ(precisions_in("AMP (bf16) images/s"), (Precisions{"bf16"}));
  EXPECT_EQ(precisions_in("float32"), (Precisions{"fp32"}));
  EXPECT_EQ(precisions_in("images/s"), Precisions{});
}

}  // namespace
}  // namespace scalemark::tables
