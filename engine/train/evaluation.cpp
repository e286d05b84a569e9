#include "engine/train/evaluation.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <torch/nn/module.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "data/load/batch.h"

namespace scalemark::running {
namespace {

struct Sums {
  double loss = 0;
  std::int64_t correct = 0, items = 0;
  std::int64_t samples = 0;  // decoded samples, each once; counted on the host
};

Sums sums_of_this_rank(workloads::Network& network, data::Loader& loader, c10::Device device,
                       const training::TrainStep& step, StepWatch& watch) {
  const at::TensorOptions on(device);
  workloads::EvaluationSums total{.loss = at::zeros({}, on.dtype(at::kDouble)),
                                  .correct = at::zeros({}, on.dtype(at::kLong)),
                                  .items = at::zeros({}, on.dtype(at::kLong))};
  const at::NoGradGuard no_gradients;
  const training::AutocastScope autocast(step.precision());
  std::int64_t samples = 0;
  while (auto loaded = loader.next()) {
    samples += loaded->batch.samples - loaded->batch.padding;
    data::Batch batch = data::to_tensors(loaded->batch);
    data::to_device(batch, device);
    const auto sums = network.evaluate(batch);
    total.loss += sums.loss;
    total.correct += sums.correct;
    total.items += sums.items;
    // This is the watchdog's heartbeat, as an evaluation may take long.
    watch.step_done(step.steps_done() - 1, std::nullopt);
  }
  return {.loss = total.loss.item<double>(),
          .correct = total.correct.item<std::int64_t>(),
          .items = total.items.item<std::int64_t>(),
          .samples = samples};
}

Error nothing_evaluated(const EvaluationResult& result) {
  const std::string last =
      result.skipped.empty() ? "" : "; one of this rank's: " + result.skipped.back().reason;
  return bad_data("no held-out sample of any rank could be decoded" + last,
                  "at least one to evaluate on", "see whether the data are still there");
}

}  // namespace

std::vector<data::SampledIndex> evaluated_share(std::int64_t size, const TrainingRanks& ranks,
                                                std::optional<std::int64_t> full_batches_of) {
  std::vector<data::SampledIndex> indices;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto rank = i % ranks.world_size;
    if (rank >= ranks.first && rank < ranks.first + ranks.count) indices.push_back({.index = i});
  }
  if (!full_batches_of || indices.empty()) return indices;
  while (static_cast<std::int64_t>(indices.size()) % *full_batches_of != 0) {
    indices.push_back({.index = indices.front().index, .padding = true});
  }
  return indices;
}

EvaluationResult evaluate(workloads::Network& network, const data::Dataset& dataset,
                          const data::LoaderOptions& loader_options, const TrainingRanks& ranks,
                          device::Device& device, const training::TrainStep& step,
                          distributed::ControlGroup& control, StepWatch& watch) {
  auto options = loader_options;
  options.drop_short_batch = false;
  if (options.on_bad_sample == data::OnBadSample::kSkip) {
    options.on_bad_sample = data::OnBadSample::kLeaveOut;
  }
  auto share = evaluated_share(
      dataset.size(), ranks,
      device.torch_device().is_cuda() ? std::optional(options.batch_size) : std::nullopt);
  const auto samples = static_cast<std::int64_t>(share.size());
  watch.begin("evaluation", (samples + options.batch_size - 1) / options.batch_size,
              /*micro_steps=*/1);
  data::Loader loader(dataset, std::move(share), /*epoch=*/0, options);
  network.module().eval();
  const Sums mine = sums_of_this_rank(network, loader, device.torch_device(), step, watch);
  network.module().train();

  std::vector<double> all{mine.loss, static_cast<double>(mine.correct),
                          static_cast<double>(mine.items), static_cast<double>(mine.samples)};
  control.sum_over_ranks(all);
  const auto [loss, correct, items, decoded] = std::tie(all[0], all[1], all[2], all[3]);
  EvaluationResult result{.items = static_cast<std::int64_t>(items), .skipped = loader.skipped()};
  if (decoded == 0) throw nothing_evaluated(result);
  result.loss = loss / std::max(1.0, items);
  result.accuracy = correct / std::max(1.0, items);
  return result;
}

}  // namespace scalemark::running
