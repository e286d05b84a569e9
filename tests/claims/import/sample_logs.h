// A log of each form that `import` knows, as its program writes it; the numbers are made up.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "claims/import/log_text.h"

namespace scalemark::importing {

// The log of a reader that found one run or none.
inline std::optional<Log> only(Runs runs) {
  return runs.empty() ? std::nullopt : std::optional(std::move(runs.front().log));
}

struct Sample {
  std::string form, text;
  std::string brief;  // in_brief() of it
};

// `text` with each "{}" replaced by the next word.
inline std::string filled(std::string text, const std::vector<std::string>& words) {
  std::size_t at = 0;
  for (const std::string& word : words) {
    at = text.find("{}", at);
    text.replace(at, 2, word);
    at += word.size();
  }
  return text;
}

inline std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

// A line for each number from `first` to `last`, which stands for each "#n".
inline std::string counting(const std::string& line, int first, int last, int step) {
  std::string text;
  for (int i = first; i <= last; i += step) {
    std::string one = line + "\n";
    for (std::size_t at = one.find("#n"); at != std::string::npos; at = one.find("#n"))
      one.replace(at, 2, std::to_string(i));
    text += one;
  }
  return text;
}

inline std::string sample_nccl(int ranks = 8, double busbw = 350.0) {
  std::string text =
      "# nccl-tests version 2.17.6 nccl-headers=22809 nccl-library=22809\n# Collective test "
      "starting: all_reduce_perf\n# nThread 1 nGpus 1 minBytes 8192 maxBytes 67108864 step: "
      "8(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n#\n# Using "
      "devices\n";
  for (int i = 0; i < ranks; ++i)
    text += filled("#  Rank  {} Group  0 Pid {} on      n{} device  {} [0000:0{}:00] NVIDIA H100\n",
                   {std::to_string(i), std::to_string(4000 + i), std::to_string(i / 8),
                    std::to_string(i % 8), std::to_string(i % 8)});
  text +=
      "#\n#                          out-of-place                       in-place          \n#       "
      "size         count      type   redop    root     time   algbw   busbw #wrong     time   "
      "algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s) "
      " (GB/s)            (us)  (GB/s)  (GB/s)       \n";
  const double factor = 2.0 * (ranks - 1) / ranks;
  for (const long bytes : {8192L, 65536L, 67108864L, 536870912L}) {
    const double us = 12 + static_cast<double>(bytes) / 1e3 / busbw * factor;
    const double algbw = static_cast<double>(bytes) / 1e3 / us;
    const std::string block =
        fixed(us, 2) + "  " + fixed(algbw, 2) + "  " + fixed(algbw * factor, 2) + "      0";
    text += filled("   {}   {}     float     sum      -1  {}  {}\n",
                   {std::to_string(bytes), std::to_string(bytes / 4), block, block});
  }
  return text +
         "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 99.1\n#\n# Collective "
         "test concluded: all_reduce_perf\n";
}

inline std::string sample_mllog(long begin_ms = 1'700'000'000'000, double rate = 3104.2) {
  const auto event = [&](const char* key, const std::string& value, long after_s,
                         const char* metadata = "{ }") {
    return filled(
        ":::MLLOG {\"namespace\": \"\", \"time_ms\": {}, \"event_type\": \"POINT_IN_TIME\", "
        "\"key\": \"{}\", \"value\": {}, \"metadata\": {}}\n",
        {std::to_string(begin_ms + 1000 * after_s), key, value, metadata});
  };
  std::string text = event("submission_benchmark", "\"bert\"", 0) +
                     event("global_batch_size", "768", 0) + event("run_start", "null", 0);
  for (int i = 1; i <= 4; ++i)
    text += event("tracked_stats", "{\"throughput\": " + fixed(rate, 1) + "}", 60 * i);
  return text + event("run_stop", "null", 720, R"({"status": "success"})");
}

inline std::string sample_horovod(double rate = 310.0) {
  const std::string mean = fixed(rate, 1);
  return "Model: resnet50\nBatch size: 64\nNumber of GPUs: 16\nRunning warmup...\nRunning "
         "benchmark...\n" +
         counting("Iter ##n: " + mean + " img/sec per GPU", 0, 9, 1) + "Img/sec per GPU: " + mean +
         " +-0.0\nTotal img/sec on 16 GPU(s): " + fixed(16 * rate, 1) + " +-0.0\n";
}

inline std::vector<Sample> sample_logs() {
  const std::string titan = "[titan] 2025-11-02 09:00:00,000 - root - INFO - ";
  return {
      {"MLPerf mllog", sample_mllog(), "3,104 seq/s; 12 min to the target"},
      {"DLLL",
       "DLLL {\"type\": \"LOG\", \"step\": \"PARAMETER\", \"data\": {\"num_gpus\": 8}}\n" +
           counting("DLLL {\"type\": \"LOG\", \"step\": [0, #n], \"data\": {\"train.total_ips\": "
                    "5120.2}}",
                    0, 30, 1) +
           "DLLL {\"type\": \"LOG\", \"step\": [], \"data\": {\"train.total_ips\": 5000.0}}\n",
       "5,120 img/s"},
      {"nccl-tests text", sample_nccl(), "10 rows of all-reduce on 8 GPUs"},
      {"Hugging Face Trainer",
       "***** Running training *****\n  Num examples = 4,800\n  Num Epochs = 2\n  Instantaneous "
       "batch size per device = 12\n  Total train batch size (w. parallel, distributed & "
       "accumulation) = 48\n  Gradient Accumulation steps = 1\n  Total optimization steps = 200\n "
       "50%|5  | 100/200 [00:20<00:20,  5.00it/s]\r100%|#  | 200/200 [00:40<00:00,  "
       "5.00it/s]\n{'train_runtime': 40.0, 'train_samples_per_second': 240.0, "
       "'train_steps_per_second': 5.0, 'epoch': 2.0}\n",
       "240 samples/s"},
      {"tf_cnn_benchmarks",
       "TensorFlow:  1.15\nModel:       resnet101\nDataset:     imagenet (synthetic)\nMode:        "
       "training\nBatch size:  512 global\n             64 per device\nNum batches: 100\nDevices: "
       "    ['/gpu:0', '/gpu:1']\nVariables:   horovod\n==========\nStep\tImg/sec\ttotal_loss\n" +
           counting("#n\timages/sec: 201.5 +/- 0.1 (jitter = 0.4)\t9.1", 10, 100, 10) +
           "----------------------------------------------------------------\ntotal images/sec: "
           "1612.25\n",
       "1,612 img/s"},
      {"Horovod synthetic benchmark", sample_horovod(), "4,960 img/s"},
      {"Megatron-LM",
       "using world size: 16, data-parallel size: 8, tensor-model-parallel size: 2\n"
       "  bf16 ............................................ True\n"
       "  micro_batch_size ................................ 2\n"
       "  seq_length ...................................... 4096\n"
       "  tensor_model_parallel_size ...................... 2\n"
       "  world_size ...................................... 16\n" +
           counting(" [2025-11-02 09:00:00] iteration       #n/     100 | elapsed time per "
                    "iteration (ms): 4000.0 | throughput per GPU (TFLOP/s/GPU): 240.1 | learning "
                    "rate: 1.0E-06 | global batch size:   128 | lm loss: 1.8E+00 |",
                    10, 60, 1),
       "32 seq/s"},
      {"DeepSpeed",
       "[2025-11-02 09:00:00,123] [INFO] [config.py:964:print]   train_batch_size ............. 64"
       "\n[2025-11-02 09:00:00,123] [INFO] [config.py:964:print]   world_size ................... "
       "8\n" +
           counting("[2025-11-02 09:01:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=#n, "
                    "skipped=0, lr=[5e-05]\n[2025-11-02 09:01:00,123] [INFO] [timer.py:215:stop] "
                    "epoch=0/micro_step=#n/global_step=#n, RunningAvgSamplesPerSec=83.1, "
                    "CurrSamplesPerSec=84.5, MemAllocated=0.3GB",
                    10, 200, 10),
       "84.5 samples/s"},
      {"llm.c",
       "| micro batch size B    | 16       |\n| sequence length T     | 1024     |\n| total batch "
       "size      | 131072   |\n| num_processes         | 8        |\n=> setting "
       "grad_accum_steps=1\n" +
           counting("step   #n/60 | loss 10.9 (+nanz)| norm 1.5 (+nanz)| lr 6.00e-04 | 160.00 ms | "
                    "40.2% bf16 MFU | 819200 tok/s",
                    1, 60, 1),
       "819,200 tokens/s"},
      {"nanoGPT",
       "tokens per iteration will be: 245,760\nnumber of parameters: 123.59M\nstep 0: train loss "
       "10.9, val loss 10.9\n" +
           counting("iter #n: loss 9.5000, time 320.00ms, mfu 30.12%", 0, 400, 10),
       "768,000 tokens/s"},
      {"torchtitan",
       titan + "Building 1-D device mesh with ['dp_replicate'], [8]\n" + titan +
           "Training starts at step 1, with local batch size 2, global batch size 16, sequence "
           "length 8192, total steps 200\n" +
           counting((titan + "step: #n  loss:  7.8532  memory: 41.33GiB(52.00%)  tps: 6,144  mfu: "
                             "30.33%"),
                    1, 191, 10),
       "6,144 tokens/s per GPU"},
      {"timm",
       "Training in distributed mode with multiple processes, 1 device per process.Process 0, "
       "total 8, device cuda:0.\nModel resnet50 created, param count:25557032\nLearning rate (0.1) "
       "calculated from base learning rate (0.1) and effective global batch size (1024) with "
       "linear scaling.\n" +
           counting(
               "Train: 0 [ #n/1251 (  8%)]  Loss: 6.9 (6.9)  Time: 0.400s, 2560.00/s  (0.401s, "
               "2553.62/s)  LR: 1.000e-05  Data: 0.010 (0.015)",
               0, 1250, 50) +
           "Test: [   0/48]  Time: 1.2 (1.2)  Loss:  6.9 (6.9)\n",
       "2,560 img/s"},
      {"PyTorch ImageNet example",
       "=> creating model 'resnet50'\nUse GPU: 0 for training\n" +
           counting("Epoch: [0][ #n/5004]\tTime  0.250 ( 0.589)\tData  0.000 ( 0.288)\tLoss "
                    "6.9e+00 (7.0e+00)\tAcc@1   0.00 (  0.12)\tAcc@5   0.78 (  0.55)",
                    1, 5001, 100) +
           "Test: [  1/196]\tTime  3.301 ( 3.301)\tLoss 6.8e+00 (6.8e+00)\n *   Acc@1 0.10\n",
       "0.25 s a step"},
      {"torchvision references",
       "| distributed init (rank 0): env://\nNamespace(amp=True, batch_size=32, dist_url='env://', "
       "epochs=90, model='resnet50', world_size=8)\n" +
           counting(
               "Epoch: [0]  [  #n/5005]  eta: 0:33:22  lr: 0.1  img/s: 133.5  loss: 6.9 (6.9)  "
               "acc1: 0.0 (0.1)  time: 0.2500  data: 0.0100  max mem: 3524",
               0, 5000, 100) +
           "Epoch: [0] Total time: 0:20:51\nTest:   [ 0/196]  eta: 0:01:00  time: 0.3  data: "
           "0.1\n",
       "1,024 img/s"}};
}

}  // namespace scalemark::importing
