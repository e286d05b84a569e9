#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <string>

#include "core/catalogue/workload.h"
#include "engine/step/fused_optimizers.h"
#include "engine/step/optimizer.h"
#include "engine/step/step_body.h"
#include "engine/step/strategy.h"
#include "tests/engine/step/recorder.h"
#include "workloads/networks/network.h"

namespace scalemark::training {
namespace {

struct Copied {
  std::string optimizer;
  bool copies = true;
  bool exchanges = false;
  std::optional<double> clip;
};

// A network in bfloat16 under autocast, with or without copies of its weights.
class Trained {
 public:
  explicit Trained(const Copied& wanted) {
    at::manual_seed(11);
    const auto shape = catalogue::resolved_shape(*catalogue::find_workload("mlp"), {.classes = 10});
    network_ = workloads::make_network("mlp", {.shape = shape});
    batch_.tensors["features"] = at::randn({16, 1024});
    batch_.tensors["label"] = at::randint(10, {16}, at::kLong);
    batch_.samples = 16;
    settings::RecipeSettings recipe;
    recipe.optimizer = wanted.optimizer;
    recipe.momentum = 0.9;
    recipe.weight_decay = 0.01;
    const auto parameters = trainable_parameters(network_->module());
    body_ = std::make_unique<StepBody>(
        *network_, parameters, make_optimizer(parameters, recipe),
        make_strategy({.parameters = parameters, .settings = {.strategy = "none"}}),
        StepBodyOptions{.clip_grad_norm = wanted.clip,
                        .precision = settings::Precision::kAmpBf16,
                        .weight_copies = wanted.copies,
                        .exchanges_gradients = wanted.exchanges});
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) {
      body_->prepare(true);
      body_->backward(loss(), true, recorder_);
      body_->update(0.01, recorder_);
    }
  }

  at::Tensor loss() { return body_->forward(batch_); }
  at::Tensor loss_under_autocast_alone() {
    const AutocastScope autocast(body_->precision());
    return network_->loss(batch_);
  }
  std::vector<at::Tensor> weights() {
    std::vector<at::Tensor> all;
    for (const auto& parameter : trainable_parameters(network_->module())) {
      all.push_back(parameter.tensor.detach());
    }
    return all;
  }

 private:
  std::unique_ptr<workloads::Network> network_;
  data::Batch batch_;
  std::unique_ptr<StepBody> body_;
  Recorder recorder_;
};

double apart(Trained& a, Trained& b) {
  double most = 0;
  const auto of_a = a.weights(), of_b = b.weights();
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const double size = of_b[i].norm().item<double>();
    most = std::max(most, (of_a[i] - of_b[i]).norm().item<double>() / size);
  }
  return most;
}

TEST(WeightCopies, GiveTheNumbersOfAutocastWhereTorchUpdates) {
  Trained with({.optimizer = "lars", .exchanges = true});
  Trained without({.optimizer = "lars", .copies = false});
  with.run(4);
  without.run(4);
  EXPECT_EQ(apart(with, without), 0);
}

TEST(WeightPasses, TrainAsTorchsFusedOptimizers) {
  for (const char* optimizer : {"sgd", "adam", "adamw"}) {
    for (const bool exchanges : {false, true}) {
      for (const auto& clip : {std::optional<double>(), std::optional(0.05)}) {
        Trained with({optimizer, true, exchanges, clip});
        Trained without({optimizer, false, exchanges, clip});
        with.run(1);
        without.run(1);
        EXPECT_LT(apart(with, without), 1e-6) << optimizer << ", exchanges " << exchanges;
        with.run(4);
        without.run(4);
        // Weights that differ in their last bit are rounded to other copies now and then.
        EXPECT_LT(apart(with, without), 1e-3) << optimizer << ", exchanges " << exchanges;
      }
    }
  }
}

TEST(WeightPasses, LeaveCopiesThatAreTheirWeightsRounded) {
  for (const char* optimizer : {"sgd", "adamw", "lamb", "lars"}) {
    for (const bool exchanges : {false, true}) {
      Trained trained({.optimizer = optimizer, .exchanges = exchanges});
      trained.run(3);
      EXPECT_TRUE(at::equal(trained.loss(), trained.loss_under_autocast_alone())) << optimizer;
    }
  }
}

TEST(WeightCopies, FollowWeightsThatSomebodyElseWrites) {
  Trained trained({.optimizer = "sgd"});
  trained.run(2);
  const auto before = trained.loss();
  trained.weights().front().mul_(1.5);
  const auto after = trained.loss();
  EXPECT_FALSE(at::equal(before, after));
  EXPECT_TRUE(at::equal(after, trained.loss_under_autocast_alone()));
}

TEST(WeightPasses, DoNotDependOnTheNumberOfThreads) {
  const int before = at::get_num_threads();
  std::vector<at::Tensor> weights[2];
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    at::manual_seed(3);
    at::Tensor weight = at::randn({300, 70}).requires_grad_();
    workloads::WeightCopy copy{.weight = weight,
                               .copy = weight.detach().to(at::kBFloat16),
                               .gradient = {},
                               .is_current = false,
                               .version = 0};
    ParameterLists lists;
    lists.parameters = {weight.detach()};
    lists.gradients = {at::randn({300, 70}).to(at::kBFloat16)};
    lists.state[WeightPasses::kMean] = {at::ones({300, 70})};
    lists.copies = {&copy};
    ASSERT_TRUE(WeightPasses::serve(lists));
    WeightPasses(lists).sgd({.rate = 0.1, .momentum = 0.9});
    EXPECT_TRUE(copy.is_current);
    EXPECT_TRUE(at::equal(copy.copy, weight.detach().to(at::kBFloat16)));
    weights[threads == 1 ? 0 : 1] = {weight.detach(), copy.copy};
  }
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(weights[0][0], weights[1][0]));
}

TEST(WeightPasses, ServeFloatInOneLayoutWithACopySomewhere) {
  const at::Tensor weight = at::ones({4, 6});
  workloads::WeightCopy copy{.weight = weight,
                             .copy = weight.to(at::kBFloat16),
                             .gradient = {},
                             .is_current = false,
                             .version = 0};
  ParameterLists lists;
  lists.parameters = {weight};
  lists.gradients = {at::ones({4, 6})};
  lists.copies = {nullptr};
  EXPECT_FALSE(WeightPasses::serve(lists)) << "no copy";
  lists.copies = {&copy};
  EXPECT_TRUE(WeightPasses::serve(lists));
  lists.gradients = {at::ones({6, 4}).t()};
  EXPECT_FALSE(WeightPasses::serve(lists)) << "a gradient in another layout";
  lists.gradients = {at::ones({4, 6}).to(at::kHalf)};
  EXPECT_FALSE(WeightPasses::serve(lists));
  lists.gradients = {at::ones({4, 6})};
  copy.copy = weight.to(at::kHalf);
  EXPECT_FALSE(WeightPasses::serve(lists));
}

}  // namespace
}  // namespace scalemark::training
