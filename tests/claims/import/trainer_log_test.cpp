#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "core/base/error.h"
#include "tests/claims/import/sample_logs.h"

namespace scalemark::importing {
namespace {

std::optional<Log> trainer_log(std::string_view text) {
  return only(read_trainer_log(LogText(text)));
}
std::optional<Log> dlll_log(std::string_view text) { return only(read_dlll(LogText(text))); }
std::optional<Log> mllog_log(std::string_view text) { return only(read_mllog(LogText(text))); }

TEST(TrainerLog, HoldsOneRateOfAllDevices) {
  const auto state = trainer_log(
      R"({"log_history": [{"loss": NaN, "step": 10}, {"train_runtime": 30.0, "train_samples_per_second": 123.456}], "train_batch_size": 8})");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->steps, std::vector<double>{123.456});
  EXPECT_TRUE(state->whole_run);
  EXPECT_EQ(state->batch_of_process, 8);
  EXPECT_FALSE(state->says.gpus);
  EXPECT_EQ(
      trainer_log(R"({"train_loss": 1.0, "train_runtime": 5, "train_samples_per_second": 9.5})")
          ->steps,
      std::vector<double>{9.5});
  EXPECT_FALSE(trainer_log(R"({"other": 1})"));
  EXPECT_THROW(trainer_log(R"({"train_runtime": 5})"), Error);
}

TEST(TrainerLog, CountsDevicesByItsBatches) {
  const auto log = trainer_log(
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
  const LogText two("'train_samples_per_second': 10.0\n'train_samples_per_second': 20.0\n");
  EXPECT_EQ(read_trainer_log(two).size(), 2u);
  EXPECT_THROW(
      trainer_log(
          R"({"log_history": [{"train_samples_per_second": 10}, {"train_samples_per_second": 20}]})"),
      Error);
  const auto log = trainer_log(
      "  Continuing training from global step 500\n{'train_samples_per_second': 10.0}\n");
  EXPECT_EQ(log->says.untestable, "meaningless");
  EXPECT_THROW(trainer_log("***** Running training *****\n  Num examples = 100\n 5%| | 1/20\n"),
               Error);
}

// Until May 2021 the rate counted optimizer steps. Examples, epochs and duration say which it is.
TEST(TrainerLog, OfOldTrainersCountsSteps) {
  const std::string head =
      "***** Running training *****\n  Num examples = 6400\n  Num Epochs = 2\n  Instantaneous "
      "batch size per device = 16\n  Total train batch size (w. parallel, distributed & "
      "accumulation) = 64\n  Gradient Accumulation steps = 1\n  Total optimization steps = "
      "200\n***** Running Evaluation *****\n  Num examples = 999\n";
  const auto steps = trainer_log(
      head + "{'train_runtime': 25.0, 'train_samples_per_second': 8.0, 'epoch': 2.0}\n");
  EXPECT_EQ(steps->steps, std::vector<double>{512});
  ASSERT_EQ(steps->remarks.size(), 1u);
  EXPECT_NE(steps->remarks.front().find("counts optimizer steps"), std::string::npos);
  EXPECT_TRUE(steps->contradictions.empty());
  const auto samples = trainer_log(
      head + "{'train_runtime': 25.0, 'train_samples_per_second': 512.0, 'epoch': 2.0}\n");
  EXPECT_EQ(samples->steps, std::vector<double>{512});
  EXPECT_TRUE(samples->remarks.empty());
  const auto neither = trainer_log(
      head + "{'train_runtime': 25.0, 'train_samples_per_second': 320.0, 'epoch': 2.0}\n");
  EXPECT_EQ(neither->steps, std::vector<double>{320});
  ASSERT_EQ(neither->contradictions.size(), 1u);
  EXPECT_EQ(
      neither->contradictions.front(),
      "line 10: train_runtime x samples/s is 8,000, and 6,400 examples x 2 epochs are 12,800");
  // --max_steps ends it before its last epoch.
  const auto cut = trainer_log(
      head + "{'train_runtime': 25.0, 'train_samples_per_second': 512.0, 'epoch': 2.0}\n");
  EXPECT_TRUE(cut->contradictions.empty());
  const auto state = trainer_log(
      R"({"global_step": 200, "log_history": [{"train_runtime": 25.0, "train_samples_per_second": 8.0}]})");
  EXPECT_EQ(state->measure, Measure::kStepSeconds);
  EXPECT_EQ(state->steps, std::vector<double>{0.125});
}

// A rate counts what its Trainer had planned, even where something stops it before.
TEST(TrainerLog, ThatStoppedEarlyHasTooHighARate) {
  const auto of = [](const char* epoch) {
    return trainer_log(
        "***** Running training *****\n  Num examples = 6400\n  Num Epochs = 2\n  Instantaneous batch "
        "size per device = 16\n  Total train batch size (w. parallel, distributed & accumulation) = "
        "64\n  Gradient Accumulation steps = 1\n  Total optimization steps = 200\n{'train_runtime': "
        "25.0, 'train_samples_per_second': 512.0, 'train_steps_per_second': 8.0, 'epoch': " +
        std::string(epoch) + "}\n");
  };
  EXPECT_TRUE(of("2.0")->contradictions.empty());
  EXPECT_TRUE(of("1.99")->contradictions.empty());
  ASSERT_EQ(of("0.5")->contradictions.size(), 1u);
  EXPECT_EQ(of("0.5")->contradictions.front(),
            "line 8: it stopped after 25 % of its steps, and its samples/s counts all of them: 128 "
            "were trained");
  const auto state = [](int step) {
    return trainer_log(R"({"global_step": )" + std::to_string(step) +
                       R"(, "max_steps": 200, "log_history": [{"train_runtime": 25.0, )"
                       R"("train_samples_per_second": 512.0, "train_steps_per_second": 8.0}]})");
  };
  EXPECT_TRUE(state(200)->contradictions.empty());
  EXPECT_EQ(state(60)->contradictions.size(), 1u);
}

// These files lack the number of steps, but have samples and epochs.
TEST(TrainerLog, OfOldTrainersCountsStepsInItsResults) {
  const auto old = trainer_log(
      R"({"epoch": 2.0, "train_runtime": 50.0, "train_samples": 4000, "train_samples_per_second": 10.0})");
  EXPECT_EQ(old->steps, std::vector<double>{160});
  EXPECT_EQ(old->remarks.size(), 1u);
  const auto samples = trainer_log(
      R"({"epoch": 2.0, "train_runtime": 50.0, "train_samples": 4000, "train_samples_per_second": 160.0})");
  EXPECT_EQ(samples->steps, std::vector<double>{160});
  EXPECT_TRUE(samples->remarks.empty());
  const auto newer = trainer_log(
      R"({"epoch": 2.0, "train_runtime": 50.0, "train_samples": 4000, "train_samples_per_second": 80.0, "train_steps_per_second": 5.0})");
  EXPECT_EQ(newer->steps, std::vector<double>{80});
}

TEST(TrainerLog, ReadsDurationsOfItsMetrics) {
  const auto of = [](const std::string& runtime) {
    return trainer_log(
               "***** Running training *****\n  Num examples = 6000\n  Num Epochs = 2\n  Total "
               "optimization steps = 1500\n***** train metrics *****\n  epoch = 2.0\n  "
               "train_runtime = " +
               runtime + "\n  train_samples = 6000\n  train_samples_per_second = 15.0\n")
        ->steps;
  };
  EXPECT_EQ(of("0:01:40.00"), std::vector<double>{120});
  EXPECT_EQ(of("100.0"), std::vector<double>{120});
  EXPECT_EQ(of("0:03:20.00"), std::vector<double>{15});  // neither steps nor samples
  const auto alone = trainer_log(
      "***** train metrics *****\n  epoch = 2.0\n  train_runtime = 1 day, 0:01:40.00\n  "
      "train_samples = 432500\n  train_samples_per_second = 0.5\n");
  EXPECT_EQ(alone->steps, std::vector<double>{10});
}

TEST(DlllLog, TakesTheRateOfTraining) {
  const auto log = dlll_log(
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
  const auto summary = dlll_log(
      "DLLL {\"step\": [], \"data\": {\"e2e_train_time\": 5, \"training_sequences_per_second\": "
      "42.5}}\n");
  EXPECT_EQ(summary->steps, std::vector<double>{42.5});
  EXPECT_EQ(summary->says.unit, "seq/s");
  EXPECT_TRUE(summary->whole_run);
  EXPECT_THROW(dlll_log("DLLL {\"step\": [0, 1], \"data\": {\"loss\": 5}}\n"), Error);
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
  const auto block = mllog_log(head + blocks + end);
  ASSERT_TRUE(block);
  EXPECT_EQ(block->steps, std::vector<double>{500});
  EXPECT_EQ(block->says.unit, "seq/s");
  EXPECT_EQ(block->says.global_batch_size, 768);
  EXPECT_EQ(block->says.time_to_train_min, 10);
  const auto tracked =
      mllog_log(head + blocks + event("tracked_stats", R"({"throughput": 512.5})", 111'000) + end);
  EXPECT_EQ(tracked->steps, std::vector<double>{512.5});
  const auto epochs =
      mllog_log(event("train_samples", "1000", 0) + event("epoch_start", "null", 0) +
                event("epoch_stop", "null", 4000));
  EXPECT_EQ(epochs->steps, std::vector<double>{250});
  EXPECT_FALSE(epochs->says.time_to_train_min);
  const auto aborted =
      mllog_log(head + blocks + event("run_stop", "null", 660'000, R"({"status": "aborted"})"));
  EXPECT_FALSE(aborted->says.time_to_train_min);
  EXPECT_THROW(mllog_log(head), Error);
}

TEST(MllogLog, TellsBrokenRecordsAndReadsJoinedOnes) {
  const std::string head = event("run_start", "null", 60'000) +
                           event("tracked_stats", R"({"throughput": 512.5})", 111'000);
  const std::string stop = event("run_stop", "null", 660'000, R"({"status": "success"})");
  const std::string half = stop.substr(0, stop.size() / 2);
  const auto broken = mllog_log(head + half + "\n" + stop.substr(half.size()) + half + "\n");
  ASSERT_EQ(broken->unread.size(), 1u);
  EXPECT_EQ(broken->unread.front(), "2 MLLOG lines cannot be read: line 3, line 5");
  EXPECT_FALSE(broken->says.time_to_train_min);
  std::string joined = head + stop;
  std::erase(joined, '\n');
  const auto whole = mllog_log(joined);
  EXPECT_TRUE(whole->unread.empty());
  EXPECT_EQ(whole->says.time_to_train_min, 10);
  const auto one = mllog_log(half + head + stop);
  EXPECT_EQ(one->unread.front(), "1 MLLOG line cannot be read: line 1");
  EXPECT_EQ(one->says.time_to_train_min, 10);
}

// Each result counts by itself, not from the first start to the last stop.
TEST(MllogLog, OfTwoResultsIsTwoRuns) {
  const auto result = [](long begin_s, long end_s) {
    return event("submission_benchmark", "\"resnet\"", begin_s * 1000) +
           event("run_start", "null", begin_s * 1000) +
           event("run_stop", "null", end_s * 1000, R"({"status": "success"})");
  };
  const std::string text = result(0, 840) + event("status", "null", 0) + result(10'000, 10'864);
  const auto runs = read_mllog(LogText(text));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].log.says.time_to_train_min, 14);
  EXPECT_EQ(runs[1].log.says.time_to_train_min, 14.4);
  EXPECT_EQ(runs[0].last_line, 4u);
}

}  // namespace
}  // namespace scalemark::importing
