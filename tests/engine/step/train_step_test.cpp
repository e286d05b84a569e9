#include "engine/step/train_step.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include <map>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/engine/step/branching_network.h"
#include "tests/engine/step/recorder.h"

namespace scalemark::training {
namespace {

using measurement::Moment;

data::Batch batch() {
  data::Batch result;
  result.tensors["features"] = at::ones({2, 8});
  result.tensors["label"] = at::ones({2}, at::kLong);
  result.samples = 2;
  return result;
}

TrainStep make_step(BranchingNetwork& network, TrainStepOptions options) {
  settings::RecipeSettings recipe;
  recipe.optimizer = "sgd";
  auto parameters = trainable_parameters(network.module());
  return TrainStep(network, parameters, make_optimizer(parameters, recipe),
                   make_strategy({.parameters = parameters, .settings = {.strategy = "none"}}),
                   std::move(options));
}

TEST(TrainStep, MarksTheMomentsOfEveryMicroStepInOrder) {
  BranchingNetwork network;
  auto step = make_step(network, {.body = {.micro_steps = 2}});
  Recorder recorder;
  step.run(batch, recorder);
  const std::vector<Moment> micro = {Moment::kStepBegin,  Moment::kBatchReady,
                                     Moment::kOnDevice,   Moment::kForwardBegin,
                                     Moment::kForwardEnd, Moment::kBackwardEnd};
  auto expected = micro;
  expected.insert(expected.end(), micro.begin(), micro.end());
  expected.push_back(Moment::kStepEnd);
  EXPECT_EQ(recorder.moments, expected);
  EXPECT_EQ(step.steps_done(), 1);
}

TEST(TrainStep, ReturnsTheMeanLossWithoutAGraph) {
  BranchingNetwork network;  // all zeros: 6 equal logits
  auto step = make_step(network, {.body = {.micro_steps = 3}});
  Recorder recorder;
  const at::Tensor loss = step.run(batch, recorder);
  EXPECT_NEAR(loss.item<float>(), 1.791759, 1e-6);  // ln 6
  EXPECT_FALSE(loss.requires_grad());
}

TEST(TrainStep, RefusesBadNumbers) {
  BranchingNetwork network;
  EXPECT_THROW(make_step(network, {.body = {.micro_steps = 0}}), Error);
  EXPECT_THROW(make_step(network, {.body = {.clip_grad_norm = 0.0}}), Error);
}

TEST(TrainStep, CountsWhatItTrainedOn) {
  BranchingNetwork network;
  auto step = make_step(network, {.body = {.micro_steps = 2}});
  Recorder recorder;
  int asked = 0;
  const NextBatch next = [&] {
    data::Batch two = batch();
    two.padding = asked++ == 3 ? 1 : 0;
    two.non_pad_tokens = 5;
    return two;
  };
  step.run(next, recorder);
  EXPECT_EQ(step.consumed().samples, 4);
  step.run(next, recorder);
  EXPECT_EQ(step.consumed().samples, 8);
  EXPECT_EQ(step.consumed().padding, 1);
  EXPECT_EQ(step.consumed().non_pad_tokens, 20);
  EXPECT_EQ(asked, 4) << "a CPU asks for no batch ahead";
}

TEST(TrainStep, ShowsGradientsBeforeTheyAreClipped) {
  std::map<std::string, at::Tensor> shown[2];
  for (const bool clips : {false, true}) {
    BranchingNetwork network;
    for (const NamedParameter& parameter : trainable_parameters(network.module())) {
      const at::NoGradGuard no_grad;  // zeros, they would have gradients of zero
      parameter.tensor.view({-1}).copy_(0.01 * at::arange(parameter.tensor.numel()));
    }
    TrainStepOptions options{.body = {.micro_steps = 2}};
    if (clips) options.body.clip_grad_norm = 1e-3;
    auto step = make_step(network, std::move(options));
    step.observe_gradients([&](const std::string& name, const at::Tensor& gradient) {
      shown[clips][name] = gradient.clone();
    });
    Recorder recorder;
    step.run(batch, recorder);
    step.observe_gradients({});
    step.run(batch, recorder);  // nobody is notified
  }
  ASSERT_FALSE(shown[0].empty());
  double squares = 0;
  for (const auto& [name, gradient] : shown[0]) {
    EXPECT_TRUE(gradient.equal(shown[1].at(name))) << name;
    squares += gradient.square().sum().item<double>();
  }
  EXPECT_GT(squares, 1e-6) << "so that it is clipped";
}

}  // namespace
}  // namespace scalemark::training
