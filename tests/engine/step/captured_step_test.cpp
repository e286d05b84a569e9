// A step that runs as a whole, with a graph that calls its work again: what is captured reads and
// writes fixed places, so it must compute what a step of single operators computes.
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/settings/notes.h"
#include "engine/step/step_body.h"
#include "engine/step/train_step.h"
#include "tests/engine/step/branching_network.h"
#include "tests/engine/step/recorder.h"

namespace scalemark::training {
namespace {

using measurement::Moment;
using settings::kStepsBeforeGraph;

// On a CPU the work itself is what is kept; it is not done when it is captured.
struct CallingGraph final : device::Graph {
  std::function<void()> work;
  int captured = 0, replayed = 0;
  void capture(const std::function<void()>& given) override {
    work = given;
    ++captured;
  }
  void replay() override {
    work();
    ++replayed;
  }
};

data::Batch numbered_batch(std::int64_t number, std::int64_t rows = 2) {
  data::Batch result;
  result.tensors["features"] =
      at::full({rows, 8}, 0.1 * static_cast<double>(number + 1), at::kDouble);
  result.tensors["label"] = at::full({rows}, 1 + number % 5, at::kLong);
  result.samples = rows;
  return result;
}

struct Training {
  explicit Training(const std::string& optimizer, std::shared_ptr<device::Graph> graph,
                    std::int64_t micro_steps = 1, std::optional<double> clip = {}) {
    network.module().to(at::kDouble);
    settings::RecipeSettings recipe{
        .optimizer = optimizer, .momentum = 0.9, .weight_decay = 0.01, .eps = 1e-8};
    recipe.adam_betas = {0.9, 0.999};
    auto parameters = trainable_parameters(network.module());
    // Different values: no ReLU gives 0 for all of its inputs.
    for (NamedParameter& parameter : parameters) {
      at::Tensor values = parameter.tensor.detach();
      values.copy_(at::linspace(-0.3, 0.5, values.numel(), at::kDouble).view_as(values));
    }
    step = std::make_unique<TrainStep>(
        network, parameters, make_optimizer(parameters, recipe),
        make_strategy({.parameters = parameters, .settings = {.strategy = "none"}}),
        TrainStepOptions{
            .body = {.micro_steps = micro_steps, .clip_grad_norm = clip},
            .schedule = {.kind = "cosine", .rate = 0.0625, .warmup_steps = 2, .total_steps = 16},
            .graph = std::move(graph)});
  }

  // Their losses.
  std::vector<double> run(int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) {
      const at::Tensor loss = step->run([this] { return numbered_batch(asked++); }, recorder);
      losses.push_back(loss.item<double>());
    }
    return losses;
  }

  BranchingNetwork network;
  std::unique_ptr<TrainStep> step;
  Recorder recorder;
  std::int64_t asked = 0;
};

void expect_equal_runs(const std::string& optimizer, std::int64_t micro_steps,
                       std::optional<double> clip) {
  const auto graph = std::make_shared<CallingGraph>();
  Training captured(optimizer, graph, micro_steps, clip);
  Training plain(optimizer, nullptr, micro_steps, clip);
  constexpr int kSteps = 9;
  const auto losses = captured.run(kSteps), expected = plain.run(kSteps);
  // The rate is a float32 on the device, and so are the losses that are kept.
  for (int i = 0; i < kSteps; ++i) EXPECT_NEAR(losses[i], expected[i], 1e-6) << optimizer << i;
  const auto parameters = captured.network.module().named_parameters();
  for (const auto& parameter : plain.network.module().named_parameters()) {
    const at::Tensor& other = parameters[parameter.key()];
    EXPECT_TRUE(at::allclose(other, parameter.value(), 1e-6, 1e-9)) << optimizer << parameter.key();
  }
  EXPECT_NE(expected.front(), expected.back());
  EXPECT_EQ(graph->captured, 1);
  EXPECT_EQ(graph->replayed, kSteps - kStepsBeforeGraph);
  EXPECT_EQ(captured.asked, kSteps * micro_steps);
  EXPECT_EQ(captured.step->consumed().samples, plain.step->consumed().samples);
}

TEST(CapturedStep, ComputesWhatSingleOperatorsCompute) {
  for (const char* optimizer : {"sgd", "adam", "adamw", "lamb", "lars"}) {
    expect_equal_runs(optimizer, 1, {});
  }
  expect_equal_runs("sgd", 3, 0.05);
  expect_equal_runs("adamw", 2, 0.05);
}

TEST(CapturedStep, IsMarkedAsAWholeFromItsFirstStepOn) {
  Training training("sgd", std::make_shared<CallingGraph>(), 2);
  training.run(5);
  EXPECT_EQ(training.recorder.moments, std::vector<Moment>(5, Moment::kStepBegin));
  EXPECT_TRUE(training.step->runs_as_a_whole());
  EXPECT_EQ(training.step->first_steps(), kStepsBeforeGraph + 1);
  EXPECT_EQ(Training("sgd", nullptr).step->first_steps(), 0);
}

TEST(CapturedStep, KeepsTheLossesOfItsSteps) {
  Training training("sgd", std::make_shared<CallingGraph>());
  const auto losses = training.run(6);
  const at::Tensor kept = training.step->losses()->latest(6);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(kept[i].item<double>(), losses[i]);
  EXPECT_EQ(Training("sgd", nullptr).step->losses(), nullptr);
}

TEST(CapturedStep, RefusesABatchThatIsNotLikeTheFirst) {
  const auto refused = [](const data::Batch& other) {
    Training training("sgd", std::make_shared<CallingGraph>());
    training.run(1);
    try {
      training.step->run([&] { return other; }, training.recorder);
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.record().exit_code, ExitCode::kConfiguration);
      return error.record().what;
    }
  };
  EXPECT_NE(refused(numbered_batch(0, 3)).find("another shape of features"), std::string::npos);
  data::Batch more = numbered_batch(0);
  more.tensors["more"] = more["label"];
  EXPECT_NE(refused(more).find("other fields"), std::string::npos);
  data::Batch padded = numbered_batch(0);
  padded.non_pad_tokens = 7;
  EXPECT_NE(refused(padded).find("another number of tokens"), std::string::npos);
  EXPECT_EQ(refused(numbered_batch(1)), "");
}

}  // namespace
}  // namespace scalemark::training
