#include <gtest/gtest.h>

#include "claims/import/log_text.h"
#include "tests/claims/import/sample_logs.h"

namespace scalemark::importing {
namespace {

std::optional<Log> torchtitan_log(std::string_view text) {
  return only(read_torchtitan(LogText(text)));
}
std::optional<Log> llm_c_log(std::string_view text) { return only(read_llm_c(LogText(text))); }
std::optional<Log> nanogpt_log(std::string_view text) { return only(read_nanogpt(LogText(text))); }

TEST(StepLines, OfTorchtitanAreOfOneGpu) {
  const auto log = torchtitan_log(
      "[titan] - INFO - Building 2-D device mesh with ['dp_replicate', 'dp_shard'], [2, 4]\n"
      "[titan] - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.10GiB memory\n"
      "[titan] - INFO - Training starts at step 1, with local batch size 2, global batch size 16, "
      "sequence length 8192, total steps 10 (warmup 2)\n"
      "[rank0]:[titan] - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.2  memory: 20.00GiB(25.00%)  "
      "tps: 1,234  tflops: 70.10  mfu: 7.10%\x1b[0m\n"
      "[rank1]:[titan] - INFO - step:  1  loss: 12.2  memory: 20.00GiB(25.00%)  tps: 1,111  "
      "tflops: 70.10  mfu: 7.10%\n"
      "[rank0]:[titan] - INFO - validate step:  1  loss: 12.2  memory: 20.00GiB(25.00%)  tps: "
      "9,999\n"
      "[rank0]:[titan] - INFO - step: 10  loss: 10.2  memory: 20.00GiB(25.00%)  tps: 5,762  "
      "tflops: 300.10  mfu: 30.10%\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->steps, (std::vector<double>{1234, 5762}));
  EXPECT_EQ(log->measure, Measure::kPerGpu);
  EXPECT_EQ(log->says.gpus, 8);
  EXPECT_EQ(log->chip, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(log->says.batch_per_gpu, 2);
  EXPECT_EQ(log->says.global_batch_size, 16);
  EXPECT_EQ(log->says.sequence_length, 8192);
  EXPECT_EQ(log->says.untestable, "parallelism");
  EXPECT_EQ(log->says.note, "the model is split: dp_shard 4");
}

TEST(StepLines, OfTorchtitanCountRanksOfNewerMeshes) {
  const std::string step =
      "step:  1  loss: 12.2  memory: 20.00GiB(25.00%)  tps: 1,234  tflops: 70.10  mfu: 7.10%\n";
  const auto log = torchtitan_log(
      "Building device mesh with parallelism: pp=1, dp_replicate=8, dp_shard=1, cp=1, tp=2, ep=4, "
      "etp=1\n"
      "Trainer is initialized with local batch size 4, global batch size 32, sequence length "
      "512\n" +
      step);
  EXPECT_EQ(log->says.gpus, 16);
  EXPECT_FALSE(log->says.batch_per_gpu);  // two GPUs share it
  EXPECT_EQ(torchtitan_log("Building 0-D device mesh with [], []\n" + step)->says.gpus, 1);
  EXPECT_FALSE(torchtitan_log(step)->says.gpus);
}

TEST(StepLines, OfLlmCAreTokensOverTheirTime) {
  const auto log = llm_c_log(
      "| micro batch size B    | 64                                                 |\n"
      "| sequence length T     | 1024                                               |\n"
      "| total batch size      | 524288                                             |\n"
      "| use_master_weights    | enabled                                            |\n"
      "| device                | NVIDIA A100-SXM4-80GB                              |\n"
      "| precision             | BF16                                               |\n"
      "| num_processes         | 8                                                  |\n"
      "=> setting grad_accum_steps=1\n"
      "step    1/18865 | loss 11.0 (+nanz)| norm 15.3 (+nanz)| lr 8.57e-07 | 500.00 ms | 45.1% "
      "bf16 MFU | 1048576 tok/s\n"
      "step    2/18865 | loss 11.0 (+nanz)| norm 15.3 (+nanz)| lr 8.57e-07 | 250.50 ms | 45.1% "
      "bf16 MFU | 1100000 tok/s\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->measure, Measure::kStepSeconds);
  EXPECT_EQ(log->steps, (std::vector<double>{0.5, 0.2505}));
  EXPECT_EQ(log->per_step, 524288);
  EXPECT_EQ(log->says.gpus, 8);
  EXPECT_EQ(log->says.global_batch_size, 512);
  EXPECT_EQ(log->says.gradient_accumulation_steps, 1);
  EXPECT_EQ(log->says.precision, "bf16");
  const auto older = llm_c_log(
      "step    1/74 | train loss 11.009689 | norm 3.1 | lr 6e-04 | (80.77 ms | 50712 tok/s)\n");
  EXPECT_EQ(older->measure, Measure::kTotal);
  EXPECT_EQ(older->steps, std::vector<double>{50712});
}

TEST(StepLines, OfLlmCFitToTheirAverage) {
  const auto of = [](const std::string& rate) {
    return llm_c_log(
               "| total batch size      | 131072   |\n" +
               counting(
                   "step   #n/60 | loss 10.9 (+nanz)| norm 1.5 (+nanz)| lr 6.00e-04 | 80.00 ms "
                   "| 40.2% bf16 MFU | " +
                       rate + " tok/s",
                   1, 20, 1))
        ->contradictions;
  };
  EXPECT_TRUE(of("1500000").empty());
  ASSERT_EQ(of("204800").size(), 1u);
  EXPECT_EQ(of("204800").front(),
            "its tok/s are 204,800, and the 131,072 tokens of a step over its ms are 1,638,400");
}

TEST(StepLines, OfNanoGptAreDurations) {
  const auto log = nanogpt_log(
      "tokens per iteration will be: 491,520\nstep 0: train loss 10.9, val loss 10.9\n"
      "iter 0: loss 10.9886, time 12345.67ms, mfu -100.00%\niter 10: loss 9.5, time 250.00ms, mfu "
      "35.12%\n");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->per_step, 491520);
  EXPECT_EQ(log->steps, (std::vector<double>{12.34567, 0.25}));
  EXPECT_FALSE(nanogpt_log("iter x: loss 1, time yms\n"));
}

}  // namespace
}  // namespace scalemark::importing
