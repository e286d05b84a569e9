#include "engine/step/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/error.h"

namespace scalemark::training {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

settings::RecipeSettings recipe(const char* optimizer) {
  settings::RecipeSettings result;
  result.optimizer = optimizer;
  return result;
}

at::Tensor parameter(at::IntArrayRef shape, double value) {
  return (at::ones(shape, at::kDouble) * value).requires_grad_();
}

TEST(Optimizer, RefusesUnknownNamesAndNesterovWithoutMomentum) {
  const std::vector<NamedParameter> one = {{"w", parameter({2}, 1)}};
  EXPECT_THROW(make_optimizer(one, recipe("sgdd")), Error);
  auto nesterov = recipe("sgd");
  nesterov.nesterov = true;
  EXPECT_THROW(make_optimizer(one, nesterov), Error);
}

TEST(Optimizer, LeavesParametersWithoutGradientAlone) {
  auto used = parameter({2, 2}, 1), unused = parameter({2, 2}, 1);
  for (const char* name : {"sgd", "adam", "adamw", "lamb", "lars"}) {
    auto with_decay = recipe(name);
    with_decay.weight_decay = 0.1;
    auto optimizer = make_optimizer({{"used", used}, {"unused", unused}}, with_decay);
    used.mutable_grad() = at::ones({2, 2}, at::kDouble);
    const auto before = used.detach().clone();
    optimizer->step(0.5);
    EXPECT_FALSE(used.equal(before)) << name;
    EXPECT_TRUE(unused.equal(parameter({2, 2}, 1))) << name;
  }
}

TEST(Optimizer, TakesTheLearningRateFromATensorToTheSameEffect) {
  for (const char* name : {"sgd", "adam", "adamw", "lamb", "lars"}) {
    auto with_decay = recipe(name);
    with_decay.weight_decay = 0.1;
    auto by_number = parameter({2, 2}, 1), by_tensor = parameter({2, 2}, 1);
    const auto number = make_optimizer({{"w", by_number}}, with_decay);
    const auto tensor = make_optimizer({{"w", by_tensor}}, with_decay);
    const at::Tensor rate = at::zeros({}, at::kDouble);
    for (const double value : {0.5, 0.25}) {
      by_number.mutable_grad() = at::ones({2, 2}, at::kDouble);
      by_tensor.mutable_grad() = at::ones({2, 2}, at::kDouble);
      number->step(value);
      tensor->step(LearningRate(rate.fill_(value)));
    }
    EXPECT_TRUE(by_number.equal(by_tensor)) << name;
  }
}

TEST(Optimizer, SparesNormsAndBiasesFromDecayWhenAsked) {
  auto weight = parameter({1, 1}, 1), bias = parameter({1}, 1);
  auto sgd = recipe("sgd");
  sgd.weight_decay = 0.5;
  sgd.decay_norms_and_biases = false;
  auto optimizer = make_optimizer({{"w", weight}, {"b", bias}}, sgd);
  weight.mutable_grad() = at::zeros({1, 1}, at::kDouble);
  bias.mutable_grad() = at::zeros({1}, at::kDouble);
  optimizer->step(0.1);
  EXPECT_DOUBLE_EQ(weight.item<double>(), 0.95);
  EXPECT_DOUBLE_EQ(bias.item<double>(), 1);
}

// |w| = 2, |g| = 4, lambda = 0.001 x 2 / 4: the update is 0.1 x 0.0005 x 2 per element.
TEST(Lars, TrustRatioOfAKnownLayer) {
  auto weight = parameter({2, 2}, 1);
  auto optimizer = make_optimizer({{"w", weight}}, recipe("lars"));
  weight.mutable_grad() = at::ones({2, 2}, at::kDouble) * 2;
  optimizer->step(0.1);
  EXPECT_NEAR(weight[0][0].item<double>(), 1 - 1e-4, 1e-15);
}

TEST(LayerwiseOptimizers, TrustRatioIsOneForZeroWeightsAndBiases) {
  for (const char* name : {"lamb", "lars"}) {
    auto zero = parameter({2, 2}, 0), bias = parameter({4}, 3);
    auto optimizer = make_optimizer({{"zero", zero}, {"bias", bias}}, recipe(name));
    zero.mutable_grad() = at::ones({2, 2}, at::kDouble);
    bias.mutable_grad() = at::ones({4}, at::kDouble);
    optimizer->step(0.1);  // both methods: 0.1 x 1 x direction, and LAMB's first direction is 1
    EXPECT_NEAR(zero[0][0].item<double>(), -0.1, 1e-8) << name;
    EXPECT_NEAR(bias[0].item<double>(), 2.9, 1e-8) << name;
  }
}

TEST(Optimizer, DividesGradientsOnTheWay) {
  for (const char* name : {"sgd", "adam", "adamw", "lamb", "lars"}) {
    for (const auto type : {at::kFloat, at::kDouble}) {
      const auto after = [&](double gradient, const at::Tensor& divisor) {
        auto weight = at::ones({2, 2}, type).requires_grad_();
        auto optimizer = make_optimizer({{"w", weight}}, recipe(name));
        for (const double sign : {1, -3, 2}) {
          weight.mutable_grad() = at::ones({2, 2}, type) * (sign * gradient);
          optimizer->step(0.5, {.divisor = divisor});
        }
        return weight.detach();
      };
      EXPECT_TRUE(after(4, at::ones({}, type) * 8).equal(after(0.5, {}))) << name;
    }
  }
}

TEST(ClipDivisor, GivesTheNormThatIsWanted) {
  const std::vector<at::Tensor> gradients = {at::ones({3}, at::kDouble) * 2,
                                             at::ones({1}, at::kDouble) * 2};
  const at::Tensor norm = norm_of(gradients);
  EXPECT_DOUBLE_EQ(norm.item<double>(), 4);
  EXPECT_NEAR(clip_divisor(norm, 1).item<double>(), 4, 4e-6);
  EXPECT_DOUBLE_EQ(clip_divisor(norm, 10).item<double>(), 1) << "small enough";
  EXPECT_TRUE(std::isnan(clip_divisor(norm * kNan, 1).item<double>()));
}

TEST(ZeroGradients, DropsOrKeepsTheMemory) {
  auto weight = parameter({2}, 1);
  weight.mutable_grad() = at::ones({2}, at::kDouble);
  const at::Tensor view = weight.grad();
  zero_gradients({weight}, ZeroGradients::kInPlace);
  EXPECT_TRUE(weight.grad().is_same(view));
  EXPECT_EQ(view[0].item<double>(), 0);
  zero_gradients({weight}, ZeroGradients::kDrop);
  EXPECT_FALSE(weight.grad().defined());
}

}  // namespace
}  // namespace scalemark::training
