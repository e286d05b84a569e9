#include "claims/import/log.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace scalemark::importing {
namespace {

// Log with steps of 1 to 20 s of 1,000 samples each; the first two are left out.
Log made_log(Measure measure) {
  Log log{.file = "dir/a.log", .form = "made", .says = {}};
  log.measure = measure;
  log.what = "rate";
  for (int i = 1; i <= 20; ++i) log.steps.push_back(i);
  log.says.unit = "samples/s";
  return log;
}

const GivenFields& all_fields() {
  static const GivenFields given(
      "gpus=4,batch_per_gpu=250,system=A100,workload=resnet50,precision=fp32", 1);
  return given;
}

TEST(ImportedLog, TakesTheMedianAfterTheFirstTenth) {
  const Log log = made_log(Measure::kTotal);
  const auto imported = import_logs({&log, 1}, all_fields(), "My table");
  ASSERT_EQ(imported.rows.size(), 1u);
  const published::Row& row = imported.rows.front();
  EXPECT_EQ(row.id, "my-table-0001");
  EXPECT_EQ(row.group, "My table");
  EXPECT_EQ(row.path, "a.log");
  EXPECT_EQ(row.throughput, 11.5);  // it is the median of 3 to 20
  EXPECT_EQ(row.counts,
            "rate: median of 18 of 20 logged steps, after the first tenth, relative standard "
            "deviation 46 %");
  EXPECT_FALSE(row.repeats);  // steps are no runs
  EXPECT_FALSE(row.spread);
}

TEST(ImportedLog, MultipliesWhatIsOfOneGpuAndDividesByDurations) {
  const Log per_gpu = made_log(Measure::kPerGpu);
  EXPECT_EQ(import_logs({&per_gpu, 1}, all_fields(), "t").rows.front().throughput, 46);
  Log durations = made_log(Measure::kStepSeconds);
  durations.per_step = 1150;
  EXPECT_EQ(
      import_logs(
          {&durations, 1},
          GivenFields("gpus=4,batch_per_gpu=250,system=A100,workload=resnet50,precision=fp32", 1),
          "t")
          .rows.front()
          .throughput,
      100);
}

TEST(ImportedLog, AsksForAllThatIsMissingAtOnce) {
  Log log = made_log(Measure::kStepSeconds);
  log.says.unit = "tokens/s";
  const auto asked = [&](const Log& one, const char* fields) -> std::string {
    try {
      import_logs({&one, 1}, GivenFields(fields, 1), "t");
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      return error.record().what;
    }
    return "";
  };
  EXPECT_EQ(asked(log, ""),
            "'dir/a.log' (made) does not say: gpus, system, workload, precision, batch_per_gpu, "
            "seq_len, accum");
  EXPECT_EQ(asked(log, "gpus=2,system=x,workload=y,precision=fp32,global_batch=8"),
            "'dir/a.log' (made) does not say: seq_len");
  EXPECT_EQ(asked(log, "gpus=2,system=x,workload=y,precision=fp32,global_batch=8,seq_len=1024"),
            "");
  log.per_step = 4096;
  EXPECT_EQ(asked(log, "gpus=2,system=x,workload=y,precision=fp32,global_batch=8,seq_len=1024"),
            "'dir/a.log' says 4096 tokens for each step, and batches, GPUs and sequence length "
            "give 8192");
}

TEST(ImportedLog, MakesOneSeriesOfSeveral) {
  std::vector<Log> logs(3, made_log(Measure::kTotal));
  logs[1].file = "b.log";
  logs[2].file = "c.log";
  const auto imported = import_logs(
      logs, GivenFields("gpus=1/2/4,batch_per_gpu=8,system=A100,workload=x,precision=fp32", 3),
      "t");
  ASSERT_EQ(imported.rows.size(), 3u);
  for (const published::Row& row : imported.rows) EXPECT_EQ(row.path, "a.log, b.log, c.log");
  EXPECT_EQ(imported.rows[2].id, "t-0003");
  EXPECT_EQ(imported.rows[2].gpus, 4);
  EXPECT_EQ(imported.rows[2].note, "from c.log");
}

// A Trainer's state has the batch of a process, and two rates that give the samples of a step.
TEST(ImportedLog, HoldsGivenBatchesAgainstThoseOfProcesses) {
  Log log = made_log(Measure::kTotal);
  log.batch_of_process = 8;
  log.samples_of_step = 32;
  const auto batch_of = [&](const std::string& fields) {
    const GivenFields given("system=A100,workload=x,precision=fp32," + fields, 1);
    return import_logs({&log, 1}, given, "t").rows.front().batch_per_gpu;
  };
  EXPECT_EQ(batch_of("gpus=4,accum=1"), 8);
  EXPECT_EQ(batch_of("gpus=4,batch_per_gpu=4"), 4);  // two GPUs in a process
  EXPECT_THROW(batch_of("gpus=4,batch_per_gpu=3"), Error);
  EXPECT_THROW(batch_of("gpus=1,batch_per_gpu=4"), Error);
  EXPECT_EQ(batch_of("gpus=2,accum=1"), 8);
  EXPECT_THROW(batch_of("gpus=1,accum=1"), Error);  // 8 samples, and the log has 32
}

TEST(ImportedLog, IsRefusedWhereItsRateIsNone) {
  Log log = made_log(Measure::kPerGpu);
  log.steps.assign(3, 1e308);
  EXPECT_THROW(import_logs({&log, 1}, all_fields(), "t"), Error);
}

TEST(ImportedLog, SaysWhatWasLookedFor) {
  try {
    read_log("no log\n", "x.txt");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.record().exit_code, ExitCode::kBadData);
    EXPECT_EQ(error.record().what,
              "'x.txt' is no log that is known here, and has no table of throughputs: it holds no "
              "table");
    for (const char* form : {"nccl-tests", "Hugging Face Trainer", "DLLL", "MLLOG", "torchtitan",
                             "llm.c", "nanoGPT", "Horovod", "tf_cnn_benchmarks", "Megatron-LM",
                             "DeepSpeed", "timm", "torchvision", "Epoch: [0][  10/5004]", "tables"})
      EXPECT_NE(error.record().expected.find(form), std::string::npos) << form;
  }
}

// A hint at a command that refuses the same file would send a person in a circle.
TEST(UnreadFile, IsSentOnlyWhereItIsRead) {
  const auto hint = [](const char* text, const char* file) {
    return unread_file(text, file).record().hint;
  };
  const std::string of_log =
      hint("Epoch: [0][ 10/5004]\tTime  0.301 ( 0.589)\tData  0.0 (0.0)\n", "a b.log");
  EXPECT_NE(of_log.find("scalemark judge 'a b.log'"), std::string::npos) << of_log;
  EXPECT_NE(of_log.find("scalemark import"), std::string::npos) << of_log;
  const std::string of_table = hint("GPUs,img/s\n1,300\n8,2100\n", "t.csv");
  EXPECT_NE(of_table.find("scalemark judge t.csv"), std::string::npos) << of_table;
  EXPECT_NE(of_table.find("published add t.csv --library"), std::string::npos) << of_table;
  const std::string of_timm =
      hint("model,train_samples_per_sec,train_batch_size\nresnet50,812.5,256\n", "timm.csv");
  EXPECT_EQ(of_timm.find("judge"), std::string::npos) << of_timm;
  for (const char* file : {"x.txt", "x.csv", "x.json", "x.jsonl", "x.md", "x.html", "-"}) {
    const std::string none = hint("no log\n", file);
    EXPECT_EQ(none.find(std::string("judge ") + file), std::string::npos) << none;
    EXPECT_EQ(none.find("import"), std::string::npos) << none;
    EXPECT_EQ(none.find("published add"), std::string::npos) << none;
    EXPECT_NE(none.find("--fields"), std::string::npos) << none;
  }
}

}  // namespace
}  // namespace scalemark::importing
