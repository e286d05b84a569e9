// Measures what our own nodes (NetworkOptions::fused_layers) save in a whole training step of BERT:
// steps with and without them in turn, in pairs whose order alternates.
//
//   fused-bench [WORKLOAD [BATCH_SIZE [THREADS [PAIRS [PRECISION]]]]]    bert-mini 8 2 9 fp32
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros_like.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "core/catalogue/workload.h"
#include "core/statistics/summary.h"
#include "engine/step/train_step.h"
#include "tools/bench/clock_marker.h"
#include "tools/programs/commands.h"
#include "workloads/networks/network.h"

namespace scalemark::training {
namespace {

data::Batch sentences(const catalogue::ModelShape& shape, std::int64_t samples) {
  const std::int64_t tokens = samples * shape.sequence_length, masked = tokens * 15 / 100;
  const auto ids = at::randint(1, shape.vocab_size, {samples, shape.sequence_length}, at::kLong);
  return {.tensors = {{"input_ids", ids},
                      {"token_type_ids", at::zeros_like(ids)},
                      {"attention_mask", at::ones_like(ids)},
                      {"masked_positions", at::randint(tokens, {masked}, at::kLong)},
                      {"masked_labels", at::randint(shape.vocab_size, {masked}, at::kLong)},
                      {"next_sentence_label", at::randint(2, {samples}, at::kLong)}},
          .samples = samples,
          .non_pad_tokens = tokens};
}

struct Case {
  std::string workload = "bert-mini";
  std::int64_t batch_size = 8;
  int threads = 2;
  int pairs = 9;
  Precision precision = Precision::kFp32;
};

// A network in training.
class Side {
 public:
  Side(const Case& wanted, bool fused) {
    at::manual_seed(1);
    const catalogue::Workload& entry = *catalogue::find_workload(wanted.workload);
    const auto shape = catalogue::resolved_shape(entry, {});
    network_ = workloads::make_network(wanted.workload, {.shape = shape, .fused_layers = fused});
    batch_ = sentences(shape, wanted.batch_size);
    auto parameters = trainable_parameters(network_->module());
    settings::RecipeSettings recipe;
    recipe.optimizer = "adamw";
    settings::ParallelSettings parallel;
    parallel.strategy = "none";
    step_ = std::make_unique<TrainStep>(
        *network_, parameters, make_optimizer(parameters, recipe),
        make_strategy({parameters, {}, nullptr, parallel}),
        TrainStepOptions{.body = {.precision = wanted.precision}, .schedule = {.rate = 1e-4}});
  }

  double milliseconds_of(int steps) {
    const auto begin = Clock::now();
    for (int i = 0; i < steps; ++i) step_->run([&] { return batch_; }, marker_);
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / steps;
  }

 private:
  std::unique_ptr<workloads::Network> network_;
  data::Batch batch_;
  std::unique_ptr<TrainStep> step_;
  ClockMarker marker_;
};

void print(const char* what, const std::vector<double>& values, const char* unit) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  std::printf("%-22s median %8.3f %s   min %8.3f   max %8.3f\n", what, statistics::median(values),
              unit, *low, *high);
}

void compare(const Case& wanted) {
  constexpr int kWarmup = 3, kSteps = 5;
  at::set_num_threads(wanted.threads);
  Side plain(wanted, false), fused(wanted, true);
  plain.milliseconds_of(kWarmup);
  fused.milliseconds_of(kWarmup);
  std::vector<double> plains, fuseds, ratios;
  for (int pair = 0; pair < wanted.pairs; ++pair) {
    double a = 0, b = 0;
    if (pair % 2 == 0) a = plain.milliseconds_of(kSteps);
    b = fused.milliseconds_of(kSteps);
    if (pair % 2 == 1) a = plain.milliseconds_of(kSteps);
    plains.push_back(a);
    fuseds.push_back(b);
    ratios.push_back(a / b);
  }
  print("plain", plains, "ms");
  print("fused", fuseds, "ms");
  print("plain / fused, paired", ratios, "x ");
}

}  // namespace
}  // namespace scalemark::training

int scalemark::commands::fused_bench(int argc, char** argv) {
  using scalemark::settings::Precision;
  scalemark::training::Case wanted;
  if (argc > 1) wanted.workload = argv[1];
  if (argc > 2) wanted.batch_size = std::stoll(argv[2]);
  if (argc > 3) wanted.threads = std::stoi(argv[3]);
  if (argc > 4) wanted.pairs = std::stoi(argv[4]);
  if (argc > 5 && std::string(argv[5]) == "amp-bf16") wanted.precision = Precision::kAmpBf16;
  scalemark::training::compare(wanted);
  return 0;
}
