#include "engine/step/precision.h"

#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/step/optimizer.h"

namespace scalemark::training {
namespace {

TEST(AutocastScope, CastsInsideAndLeavesNothingBehind) {
  const PrecisionPolicy bf16(Precision::kAmpBf16, c10::kCPU), fp32(Precision::kFp32, c10::kCPU);
  const auto x = at::ones({2, 2}), w = at::ones({2, 2});
  {
    const AutocastScope scope(bf16);
    EXPECT_EQ(at::linear(x, w).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::linear(x, w).scalar_type(), at::kFloat);
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  const AutocastScope scope(fp32);
  EXPECT_EQ(at::linear(x, w).scalar_type(), at::kFloat);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(GradientScaler, DividesByTheScaleAndHalvesItAfterAnOverflow) {
  GradientScaler scaler(c10::kCPU);
  EXPECT_FLOAT_EQ(scaler.scale(at::ones({})).item<float>(), 65536);
  std::vector<at::Tensor> good = {at::ones({3}) * 65536};
  scaler.unscale(good);
  EXPECT_FLOAT_EQ(good[0][1].item<float>(), 1);
  EXPECT_EQ(scaler.found_inf().item<float>(), 0);
  scaler.update();
  EXPECT_FLOAT_EQ(scaler.scale(at::ones({})).item<float>(), 65536);

  std::vector<at::Tensor> bad = {at::ones({3}) * kInfinity};
  scaler.unscale(bad);
  EXPECT_EQ(scaler.found_inf().item<float>(), 1);
  scaler.update();
  EXPECT_FLOAT_EQ(scaler.scale(at::ones({})).item<float>(), 32768);
}

class SkippedStep : public ::testing::TestWithParam<const char*> {};

// A step with infinities changes nothing, neither weights nor state: the next good step gives
// exactly what it would have given without the bad one.
TEST_P(SkippedStep, LeavesNoTrace) {
  settings::RecipeSettings recipe;
  recipe.optimizer = GetParam();
  recipe.learning_rate = 0.1;
  recipe.momentum = 0.9;
  recipe.weight_decay = 0.01;
  const auto train = [&](bool with_bad_step) {
    at::Tensor weight = at::ones({2, 3}).requires_grad_(), bias = at::ones({3}).requires_grad_();
    auto optimizer = make_optimizer({{"weight", weight}, {"bias", bias}}, recipe);
    const auto step = [&](double gradient, float found) {
      weight.mutable_grad() = at::ones({2, 3}) * gradient;
      bias.mutable_grad() = at::ones({3}) * gradient;
      optimizer->step(0.1, {.found_inf = at::ones({1}) * found});
    };
    if (with_bad_step) step(kInfinity, 1);
    step(0.5, 0);
    if (with_bad_step) step(kInfinity, 1);
    step(-0.25, 0);
    return at::cat({weight.detach().flatten(), bias.detach()});
  };
  const at::Tensor clean = train(false), disturbed = train(true);
  EXPECT_FALSE(clean.equal(at::ones({9})));
  EXPECT_TRUE(disturbed.equal(clean)) << disturbed << clean;
}

INSTANTIATE_TEST_SUITE_P(Every, SkippedStep,
                         ::testing::Values("sgd", "adam", "adamw", "lamb", "lars"));

}  // namespace
}  // namespace scalemark::training
