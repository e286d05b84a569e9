#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "core/base/error.h"

namespace scalemark::importing {
namespace {

TEST(TrainerLog, HoldsOneRateOfAllDevices) {
  const auto state = read_trainer_log(
      R"({"log_history": [{"loss": NaN, "step": 10}, {"train_runtime": 30.0, "train_samples_per_second": 123.456}], "train_batch_size": 8})");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->steps, std::vector<double>{123.456});
  EXPECT_TRUE(state->whole_run);
  EXPECT_EQ(state->batch_of_process, 8);
  EXPECT_FALSE(state->says.gpus);
  EXPECT_EQ(read_trainer_log(
                R"({"train_loss": 1.0, "train_runtime": 5, "train_samples_per_second": 9.5})")
                ->steps,
            std::vector<double>{9.5});
  EXPECT_FALSE(read_trainer_log(R"({"other": 1})"));
  EXPECT_THROW(read_trainer_log(R"({"train_runtime": 5})"), Error);
}

TEST(TrainerLog, CountsDevicesByItsBatches) {
  const auto log = read_trainer_log(
      "  Instantaneous batch size per device = 8\n  Total train batch size (w. parallel, "
      "distributed & accumulation) = 64\n"
      "  Gradient Accumulation steps = 2\n 5%|5 | 1/20\r100%|#| 20/20 {'train_runtime': 30.0, "
      "'train_samples_per_second': 123.456, 'train_steps_per_second': 2.0}\n"
      "  train_samples_per_second =     123.46\n  eval_samples_per_second = 999\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->steps, std::vector<double>{123.456});
  EXPECT_EQ(log->says.gpus, 4);
  EXPECT_EQ(log->says.global_batch_size, 64);
  EXPECT_FALSE(log->says.untestable);
}

TEST(TrainerLog, OfTwoRunsOrOfAContinuedOneIsMarked) {
  EXPECT_THROW(
      read_trainer_log("'train_samples_per_second': 10.0\n'train_samples_per_second': 20.0\n"),
      Error);
  const auto log = read_trainer_log(
      "  Continuing training from global step 500\n{'train_samples_per_second': 10.0}\n");
  EXPECT_EQ(log->says.untestable, "meaningless");
}

TEST(DlllLog, TakesTheRateOfTraining) {
  const auto log = read_dlll(
      "DLLL {\"type\": \"METADATA\", \"metric\": \"train.total_ips\", \"metadata\": {\"unit\": "
      "\"images/s\"}}\n"
      "DLLL {\"type\": \"LOG\", \"step\": \"PARAMETER\", \"data\": {\"world_size\": 8}}\n"
      "DLLL {\"type\": \"LOG\", \"step\": [0, 1], \"data\": {\"train.compute_ips\": 300, "
      "\"train.total_ips\": 100.5, \"train.loss\": 7}}\n"
      "DLLL {\"type\": \"LOG\", \"step\": [0, 2], \"data\": {\"train.total_ips\": \"101.5\"}}\n"
      "DLLL {\"type\": \"LOG\", \"step\": [0], \"data\": {\"train.total_ips\": 90, "
      "\"val.total_ips\": 900}}\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->steps, (std::vector<double>{100.5, 101.5}));
  EXPECT_EQ(log->says.unit, "img/s");
  EXPECT_EQ(log->says.gpus, 8);
  const auto summary = read_dlll(
      "DLLL {\"step\": [], \"data\": {\"e2e_train_time\": 5, \"training_sequences_per_second\": "
      "42.5}}\n");
  EXPECT_EQ(summary->steps, std::vector<double>{42.5});
  EXPECT_EQ(summary->says.unit, "seq/s");
  EXPECT_TRUE(summary->whole_run);
  EXPECT_THROW(read_dlll("DLLL {\"step\": [0, 1], \"data\": {\"loss\": 5}}\n"), Error);
}

std::string event(const std::string& key, const std::string& value, long time_ms,
                  const std::string& metadata = "{}") {
  return "0: :::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(time_ms) +
         ", \"key\": \"" + key + "\", \"value\": " + value + ", \"metadata\": " + metadata + "}\n";
}

TEST(MllogLog, TakesTrackedStatsElseBlocksElseEpochs) {
  const std::string head = event("submission_benchmark", "\"bert\"", 0) +
                           event("global_batch_size", "768", 0) +
                           event("run_start", "null", 60'000);
  const std::string end = event("run_stop", "null", 660'000, R"({"status": "success"})");
  const std::string blocks = event("block_start", "null", 100'000, R"({"samples_count": 0})") +
                             event("block_stop", "null", 110'000, R"({"samples_count": 5000})");
  const auto block = read_mllog(head + blocks + end);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->steps, std::vector<double>{500});
  EXPECT_EQ(block->says.unit, "seq/s");
  EXPECT_EQ(block->says.global_batch_size, 768);
  EXPECT_EQ(block->says.time_to_train_min, 10);
  const auto tracked =
      read_mllog(head + blocks + event("tracked_stats", R"({"throughput": 512.5})", 111'000) + end);
  EXPECT_EQ(tracked->steps, std::vector<double>{512.5});
  const auto epochs =
      read_mllog(event("train_samples", "1000", 0) + event("epoch_start", "null", 0) +
                 event("epoch_stop", "null", 4000));
  EXPECT_EQ(epochs->steps, std::vector<double>{250});
  EXPECT_FALSE(epochs->says.time_to_train_min);
  const auto aborted =
      read_mllog(head + blocks + event("run_stop", "null", 660'000, R"({"status": "aborted"})"));
  EXPECT_FALSE(aborted->says.time_to_train_min);
  EXPECT_THROW(read_mllog(head), Error);
}

}  // namespace
}  // namespace scalemark::importing
