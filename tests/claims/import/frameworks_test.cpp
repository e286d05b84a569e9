#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "core/base/text.h"
#include "tests/claims/import/sample_logs.h"

namespace scalemark::importing {
namespace {

std::string contradictions_of(const std::optional<Log>& log) {
  return joined(log->contradictions, "; ");
}

std::string horovod_text(const std::string& device, double first, double mean, double total) {
  return "Model: ResNet50\nBatch size: 48\nNumber of " + device +
         "s: 4\nIter #0: " + fixed(first, 1) + " img/sec per " + device + "\n" +
         counting("Iter ##n: 1210.5 img/sec per " + device, 1, 9, 1) + "Img/sec per " + device +
         ": " + fixed(mean, 1) + " +-0.0\nTotal img/sec on 4 " + device +
         "(s): " + fixed(total, 1) + " +-0.0\n";
}

// The mean of all ten is 1124.5.
TEST(HorovodLog, MayLeaveItsFirstIterationOutOfTheMean) {
  const auto of = [](double mean) {
    return contradictions_of(
        only(read_horovod(LogText(horovod_text("GPU", 350.5, mean, 4 * mean)))));
  };
  EXPECT_EQ(of(1210.5), "");
  EXPECT_EQ(of(1124.5), "");
  EXPECT_NE(of(1180.5).find("that of its iterations is 1124.5"), std::string::npos) << of(1180.5);
}

TEST(HorovodLog, OfCpusSaysNoGpus) {
  const auto log = only(read_horovod(LogText(horovod_text("CPU", 1210.5, 1210.5, 4842))));
  ASSERT_TRUE(log);
  EXPECT_EQ(contradictions_of(log), "");
  EXPECT_FALSE(log->says.gpus);
  EXPECT_EQ(log->says.system, "CPU");
  EXPECT_EQ(log->steps, std::vector<double>{4842});
  ASSERT_EQ(log->remarks.size(), 1u);
  EXPECT_EQ(log->remarks.front(), "it is a run on CPUs: it says no count of GPUs");
  EXPECT_EQ(only(read_horovod(LogText(horovod_text("GPU", 1210.5, 1210.5, 4842))))->says.gpus, 4);
}

// Three decimals of a step of 12 ms are off by up to 4 %.
TEST(TimmLog, OfFastStepsIsRounded) {
  const auto of = [](const std::string& rate) {
    return contradictions_of(only(read_timm(LogText(
        "Training with a single process on 1 device (cuda:0).\nLearning rate (0.1) calculated from "
        "base learning rate (0.1) and effective global batch size (256) with linear scaling.\n" +
        counting("Train: 0 [ #n/1251 (  8%)]  Loss: 6.9 (6.9)  Time: 0.012s, " + rate +
                     "/s  (0.012s, " + rate + "/s)  LR: 1.000e-05  Data: 0.010 (0.015)",
                 0, 500, 50)))));
  };
  EXPECT_EQ(of("20501.33"), "");
  EXPECT_NE(of("18250.00"), "");
}

TEST(DeepSpeedLog, HasNamesThatLeaveNoRoomForDots) {
  const auto of = [](const std::string& setting) {
    return only(read_deepspeed(
        LogText("  train_batch_size ............. 96\n  " + setting +
                "\nepoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=83.1, "
                "CurrSamplesPerSec=84.5, MemAllocated=0.3GB\n")));
  };
  EXPECT_EQ(of("train_micro_batch_size_per_gpu  12")->says.batch_per_gpu, 12);
  EXPECT_FALSE(of("train_micro_batch_size_per_gpu 12")->says.batch_per_gpu);
  EXPECT_FALSE(of("world_size  8")->says.gpus);
}

TEST(MegatronLog, SaysInItsFirstLineHowItsModelIsSplit) {
  const auto of = [](const std::string& sizes) {
    return only(read_megatron(
        LogText("using world size: 16, data-parallel size: 2, " + sizes + "\n" +
                counting(" iteration       #n/     100 | elapsed time per iteration (ms): 4000.0 | "
                         "global batch size:   64 |",
                         10, 60, 10))));
  };
  const auto split =
      of("context-parallel size: 1, tensor-model-parallel size: 4, "
         "encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 2");
  EXPECT_EQ(split->says.gpus, 16);
  EXPECT_EQ(split->says.untestable, "parallelism");
  EXPECT_EQ(split->says.note, "the model is split over 8 GPUs");
  EXPECT_FALSE(
      of("tensor-model-parallel size: 1, pipeline-model-parallel size: 1")->says.untestable);
}

TEST(MegatronLog, ConsumesABatchInEachIteration) {
  const auto of = [](const std::vector<std::pair<int, int>>& lines, int last) {
    std::string text;
    for (const auto& [iteration, samples] : lines)
      text += filled(
          " iteration {}/ 100 | consumed samples: {} | elapsed time per iteration (ms): "
          "4000.0 | global batch size: {} |\n",
          {std::to_string(iteration), std::to_string(samples),
           iteration == lines.back().first ? std::to_string(last) : "64"});
    return contradictions_of(only(read_megatron(LogText(text))));
  };
  EXPECT_EQ(of({{10, 640}, {20, 1280}, {30, 1920}}, 64), "");
  EXPECT_EQ(of({{10, 640}, {20, 1280}, {30, 2240}}, 128), "") << "the batch grows";
  EXPECT_EQ(
      of({{10, 640}, {20, 1408}, {30, 2048}}, 64),
      "line 2: 768 samples were consumed since the line above, and 10 iterations of 64 are 640");
}

TEST(DeepSpeedLog, HasAnAverageOfItsIntervals) {
  const auto of = [](const char* average) {
    return contradictions_of(only(read_deepspeed(LogText(counting(
        "epoch=0/micro_step=#n/global_step=#n, RunningAvgSamplesPerSec=" + std::string(average) +
            ", CurrSamplesPerSec=84.5, MemAllocated=0.3GB",
        10, 100, 10)))));
  };
  EXPECT_EQ(of("83.1"), "");
  EXPECT_EQ(of("62.5"), "") << "a log may begin behind slow steps";
  EXPECT_NE(of("8.31"), "");
  EXPECT_NE(of("169.0"), "");
}

TEST(TfCnnLog, HasATotalOfItsProcesses) {
  const auto of = [](const char* total) {
    return contradictions_of(only(read_tf_cnn(
        LogText("Mode:        training\nBatch size:  512 global\n             64 per device\nStep\t"
                "Img/sec\ttotal_loss\n" +
                counting("#n\timages/sec: 401.5 +/- 0.1 (jitter = 0.4)\t9.1", 10, 100, 10) +
                "total images/sec: " + total + "\n"))));
  };
  for (const char* total : {"395.25", "803.00", "1606.00", "3180.75"}) EXPECT_EQ(of(total), "");
  EXPECT_EQ(of("1204.50"),
            "a total of 1204.5 img/s is no number of processes with 401.5 each, on 8 GPUs");
  for (const char* total : {"160.60", "4818.00", "32120.00"}) EXPECT_NE(of(total), "");
}

TEST(TorchvisionLog, HasABatchInTheTimeOfItsRate) {
  const auto of = [](const char* rate, const char* seconds, const char* waited) {
    return contradictions_of(only(read_torchvision(LogText(
        "Namespace(amp=True, batch_size=32, model='resnet50', world_size=8)\n" +
        counting(
            filled("Epoch: [0]  [  #n/5005]  eta: 0:33:22  lr: 0.1  img/s: {}  loss: 6.9 (6.9)  "
                   "time: {}  data: {}  max mem: 3524",
                   {rate, seconds, waited}),
            0, 5000, 100)))));
  };
  EXPECT_EQ(of("133.3", "0.2500", "0.0100"), "");
  EXPECT_EQ(of("320.0", "0.2500", "0.1500"), "") << "the loader is slow";
  EXPECT_EQ(of("64.0", "0.2500", "0.0000"),
            "a step has 16 images by its img/s and time, and the batch is said to be 32");
  EXPECT_NE(of("1333.0", "0.2500", "0.0100"), "");
}

}  // namespace
}  // namespace scalemark::importing
