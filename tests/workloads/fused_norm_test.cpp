#include "workloads/layers/fused_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/workloads/resnet_steps.h"

namespace scalemark::workloads {
namespace {

constexpr auto kLayout = at::MemoryFormat::ChannelsLast;

at::Tensor activation(at::ScalarType type = at::kDouble) {
  return at::randn({2, 20, 6, 5}, type).contiguous(kLayout);
}

// x, shortcut, weight, bias.
std::vector<at::Tensor> leaves() {
  at::manual_seed(2);
  std::vector<at::Tensor> all = {activation(), activation(), at::rand({20}, at::kDouble) + 0.5,
                                 at::randn({20}, at::kDouble)};
  for (at::Tensor& tensor : all) tensor.requires_grad_();
  return all;
}

NormState state_of(const std::vector<at::Tensor>& leaf, bool training = true) {
  return {.weight = leaf[2],
          .bias = leaf[3],
          .running_mean = at::zeros({20}, at::kDouble),
          .running_var = at::ones({20}, at::kDouble),
          .momentum = 0.1,
          .eps = 1e-5,
          .training = training};
}

Fork plain(const std::vector<at::Tensor>& leaf, const NormState& state, const NormTail& tail) {
  at::Tensor y = at::batch_norm(leaf[0], state.weight, state.bias, state.running_mean,
                                state.running_var, state.training, 0.1, 1e-5, false);
  y = y * tail.gain;
  if (tail.shortcut.defined()) y = y + tail.shortcut;
  if (tail.relu) y = y.relu();
  return {y, y};
}

using Loss = std::function<at::Tensor(const Fork&)>;
const Loss kBoth = [](const Fork& y) { return (y.branch.sin() + y.shortcut.pow(3)).sum(); };

// Outputs, running statistics and gradients of both.
void expect_same(NormTail tail, bool with_shortcut, const Loss& loss) {
  const auto a = leaves(), b = leaves();
  const NormState ours = state_of(a), theirs = state_of(b);
  tail.shortcut = with_shortcut ? a[1] : at::Tensor();
  const Fork found = fused_norm(a[0], ours, tail);
  tail.shortcut = with_shortcut ? b[1] : at::Tensor();
  const Fork expected = plain(b, theirs, tail);
  EXPECT_TRUE(at::allclose(found.branch, expected.branch, 1e-12, 1e-12));
  EXPECT_EQ(found.branch.data_ptr(), found.shortcut.data_ptr());
  loss(found).backward();
  loss(expected).backward();
  EXPECT_TRUE(at::allclose(ours.running_mean, theirs.running_mean, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(ours.running_var, theirs.running_var, 1e-12, 1e-12));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (i == 1 && !with_shortcut) continue;
    EXPECT_TRUE(at::allclose(a[i].grad(), b[i].grad(), 1e-11, 1e-11)) << "leaf " << i;
    EXPECT_EQ(a[i].grad().strides(), b[i].grad().strides()) << "leaf " << i;
  }
}

TEST(FusedNorm, EqualsATensOperators) {
  for (const bool fork : {false, true}) {
    expect_same({.fork = fork}, false, kBoth);
    expect_same({.relu = true, .fork = fork}, false, kBoth);
    expect_same({.relu = true, .fork = fork}, true, kBoth);
    expect_same({.relu = true, .gain = 1.7, .fork = fork}, true, kBoth);
  }
}

TEST(FusedNorm, OneGradientOfTwoIsEnough) {
  const Loss branch = [](const Fork& y) { return y.branch.pow(2).sum(); };
  const Loss shortcut = [](const Fork& y) { return y.shortcut.pow(2).sum(); };
  for (const bool with_shortcut : {false, true}) {
    expect_same({.relu = true, .fork = true}, with_shortcut, branch);
    expect_same({.relu = true, .fork = true}, with_shortcut, shortcut);
  }
}

TEST(FusedNorm, TakesGradientsInAnyLayout) {
  expect_same({.relu = true, .fork = true}, true, [](const Fork& y) {
    return (y.branch.mean({2, 3}).sin().sum() +
            y.shortcut.transpose(2, 3).contiguous().sin().sum());
  });
}

TEST(FusedNorm, WritesIntoGradientsThatNobodyElseHolds) {
  const auto leaf = leaves();
  const Fork y =
      fused_norm(leaf[0], state_of(leaf), {.relu = true, .shortcut = leaf[1] * 1, .fork = true});
  std::vector<const void*> came, went;
  y.branch.register_hook([&](const at::Tensor& g) { came.push_back(g.const_data_ptr()); });
  y.shortcut.register_hook([&](const at::Tensor& g) { came.push_back(g.const_data_ptr()); });
  leaf[0].register_hook([&](const at::Tensor& g) { went.push_back(g.const_data_ptr()); });
  leaf[1].register_hook([&](const at::Tensor& g) { went.push_back(g.const_data_ptr()); });
  kBoth(y).backward();
  ASSERT_EQ(came.size(), 2u);
  ASSERT_EQ(went.size(), 2u);
  EXPECT_EQ(std::set<const void*>(came.begin(), came.end()).count(went[0]), 1u);
}

TEST(FusedNorm, LeavesGradientsOfOthersAlone) {
  const auto leaf = leaves();
  const Fork y =
      fused_norm(leaf[0], state_of(leaf), {.relu = true, .shortcut = leaf[1], .fork = true});
  const at::Tensor a = activation(), b = activation();
  const at::Tensor a_before = a.clone(), b_before = b.clone();
  torch::autograd::backward({y.branch, y.shortcut}, {a, b});
  EXPECT_TRUE(at::equal(a, a_before));
  EXPECT_TRUE(at::equal(b, b_before));
}

TEST(FusedNorm, WhatItNeedsMayNotBeWrittenInto) {
  const auto leaf = leaves();
  const at::Tensor x = leaf[0] * 1;
  const Fork y = fused_norm(x, state_of(leaf), {.relu = true});
  x.detach().mul_(2);
  EXPECT_THROW(y.branch.sum().backward(), c10::Error);
}

// A write into one output is one into the other: they have one version.
TEST(FusedNorm, AWriteIntoOneOutputIsSeenByUsersOfTheOther) {
  const auto leaf = leaves();
  const Fork y = fused_norm(leaf[0], state_of(leaf), {.relu = true, .fork = true});
  const at::Tensor user = y.branch.pow(2);
  y.shortcut.detach().mul_(2);
  EXPECT_THROW(user.sum().backward(), c10::Error);
}

TEST(FusedNorm, BackwardRunsOnceUnlessTheGraphIsKept) {
  const auto leaf = leaves();
  const at::Tensor loss = fused_norm(leaf[0], state_of(leaf), {.relu = true}).branch.sum();
  loss.backward({}, /*retain_graph=*/true);
  const at::Tensor once = leaf[2].grad().clone();
  loss.backward();
  EXPECT_TRUE(at::allclose(leaf[2].grad(), 2 * once));
  EXPECT_THROW(loss.backward(), c10::Error);
}

TEST(FusedNorm, EvaluationUsesRunningStatistics) {
  const auto leaf = leaves();
  NormState state = state_of(leaf, false);
  state.running_mean.normal_();
  state.running_var.uniform_(0.5, 2);
  const NormTail tail{.relu = true, .shortcut = leaf[1], .gain = 0.5, .fork = true};
  EXPECT_FALSE(has_fused_norm(leaf[0], state, tail));  // gradients are on
  const at::NoGradGuard no_grad;
  const Fork y = fused_norm(leaf[0], state, tail);
  EXPECT_TRUE(at::allclose(y.branch, plain(leaf, state, tail).branch, 1e-12, 1e-12));
}

TEST(FusedNorm, OtherKindsAreLeftToATen) {
  const auto leaf = leaves();
  const NormState state = state_of(leaf);
  EXPECT_TRUE(has_fused_norm(leaf[0], state, {}));
  EXPECT_FALSE(has_fused_norm(leaf[0].detach().contiguous(), state, {}));
  EXPECT_FALSE(has_fused_norm(leaf[0].detach().to(at::kFloat), state, {}));  // double parameters
  EXPECT_FALSE(has_fused_norm(leaf[0].detach().to(at::kHalf), state, {}));
  EXPECT_FALSE(has_fused_norm(leaf[0].flatten(2), state, {}));
  const NormTail wrong{.relu = true, .shortcut = leaf[1].slice(1, 0, 10)};
  EXPECT_FALSE(has_fused_norm(leaf[0], state, wrong));
}

TEST(FusedNorm, ResNetTrainsAsWithATensOperators) { expect_same_training(4, 64, 5); }
TEST(FusedNorm, ResNetTrainsOnOneImageAsWithATensOperators) { expect_same_training(1, 97, 5); }

}  // namespace
}  // namespace scalemark::workloads
