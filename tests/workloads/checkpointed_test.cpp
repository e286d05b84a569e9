#include "workloads/layers/checkpointed.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/workloads/shallow_resnet.h"
#include "workloads/weights/weights.h"

namespace scalemark::workloads {
namespace {

// Most tests have one input and one output.
using SimplePart = std::function<at::Tensor(const at::Tensor& input, Pass pass)>;
at::Tensor checkpointed(const SimplePart& part, const at::Tensor& input) {
  const Part whole = [part](const Tensors& inputs, Pass pass) {
    return Tensors{part(inputs[0], pass)};
  };
  return workloads::checkpointed(whole, Tensors{input})[0];
}

at::Tensor input_with_gradient() {
  at::manual_seed(5);
  return at::rand({3, 4}, at::kDouble).requires_grad_();
}

// sin and cos save their inputs: two tensors, of which one is the part's own.
at::Tensor sin_cos(const at::Tensor& x, Pass) { return x.sin().cos(); }

TEST(Checkpointed, GivesTheSameValueAndGradient) {
  const auto x = input_with_gradient(), y = input_with_gradient();
  const auto plain = sin_cos(x, Pass::kFirst);
  const auto again = checkpointed(sin_cos, y);
  EXPECT_TRUE(at::equal(plain, again));
  plain.sum().backward();
  again.sum().backward();
  EXPECT_TRUE(at::equal(x.grad(), y.grad()));
}

TEST(Checkpointed, KeepsNoTensorOfThePart) {
  const auto x = input_with_gradient();
  c10::weak_intrusive_ptr<c10::StorageImpl> inner{c10::intrusive_ptr<c10::StorageImpl>()};
  const SimplePart part = [&](const at::Tensor& input, Pass) {
    const auto sine = input.sin();
    inner = sine.storage().getWeakStorageImpl();
    return sine.cos();
  };
  const auto plain = part(x, Pass::kFirst);
  EXPECT_FALSE(inner.expired());
  const auto dropped = checkpointed(part, x);
  EXPECT_TRUE(inner.expired());
  dropped.sum().backward();
  EXPECT_TRUE(inner.expired());
}

TEST(Checkpointed, RunsAgainOncePerBackwardAndNeverWithoutGradients) {
  const auto x = input_with_gradient();
  std::vector<Pass> passes;
  const SimplePart part = [&](const at::Tensor& input, Pass pass) {
    passes.push_back(pass);
    return sin_cos(input, pass);
  };
  const auto loss = checkpointed(part, x).sum();
  EXPECT_EQ(passes, std::vector{Pass::kFirst});
  loss.backward({}, /*retain_graph=*/true);
  EXPECT_EQ(passes, (std::vector{Pass::kFirst, Pass::kAgain}));
  const auto once = x.grad().clone();
  loss.backward();
  EXPECT_EQ(passes, (std::vector{Pass::kFirst, Pass::kAgain, Pass::kAgain}));
  EXPECT_TRUE(at::equal(x.grad(), once + once));
  passes.clear();
  const at::NoGradGuard no_grad;
  checkpointed(part, x);
  EXPECT_EQ(passes, std::vector{Pass::kFirst});
}

TEST(Checkpointed, BothPassesDrawTheSameAndWhatFollowsDrawsOn) {
  const SimplePart part = [](const at::Tensor& input, Pass) {
    return at::dropout(input, 0.5, true);
  };
  const auto x = input_with_gradient();
  at::manual_seed(9);
  const auto y = checkpointed(part, x);
  const auto expected_next = [] {
    at::manual_seed(9);
    at::dropout(at::ones({3, 4}, at::kDouble), 0.5, true);
    return at::rand({4});
  };
  const auto after_forward = at::rand({4});
  y.sum().backward();
  const auto after_backward = at::rand({4});
  EXPECT_TRUE(at::equal(x.grad(), at::where(y.ne(0), 2.0, at::zeros_like(y))));
  EXPECT_TRUE(at::equal(after_forward, expected_next()));
  EXPECT_TRUE(at::equal(after_backward, at::rand({4})));
}

// In a cache that outlived its pass the second one would find weights without a way back.
TEST(Checkpointed, BothPassesRunUnderTheSameAutocast) {
  at::set_num_threads(1);
  const auto weight = at::rand({5, 4}).requires_grad_();
  std::vector<at::ScalarType> types;
  const SimplePart part = [&](const at::Tensor& input, Pass) {
    const auto y = at::linear(input, weight);
    types.push_back(y.scalar_type());
    return y;
  };
  const auto gradient = [&](bool checkpointing) {
    const auto x = at::ones({2, 4}).requires_grad_();
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    const auto y = checkpointing ? checkpointed(part, x) : part(x, Pass::kFirst);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    y.pow(2).sum().backward();
    const auto result = weight.grad().clone();
    weight.mutable_grad().reset();
    return result;
  };
  const auto plain = gradient(false);
  EXPECT_TRUE(at::equal(gradient(true), plain));
  EXPECT_EQ(types, (std::vector{at::kBFloat16, at::kBFloat16, at::kBFloat16}));
  EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
}

TEST(Checkpointed, AnInputThatWasWrittenIntoIsRefused) {
  const auto x = input_with_gradient() * 1;
  const auto y = checkpointed(sin_cos, x);
  x.detach().mul_(2);
  EXPECT_THROW(y.sum().backward(), c10::Error);
}

TEST(Checkpointed, APartThatDoesSomethingElseTheSecondTimeIsRefused) {
  const SimplePart part = [](const at::Tensor& input, Pass pass) {
    return pass == Pass::kFirst ? input.sin().cos() : input.sin();
  };
  EXPECT_THROW(checkpointed(part, input_with_gradient()).sum().backward(), Error);
}

constexpr const char* kResNet = "a shallow ResNet";

data::Batch made_batch(const std::string& workload) {
  at::manual_seed(3);
  if (workload == kResNet) {
    return {.tensors = {{"image", at::randint(256, {4, 40, 40, 3}, at::kByte)},
                        {"label", at::randint(10, {4}, at::kLong)}},
            .samples = 4};
  }
  const auto ids = at::randint(1, 300, {2, 16}, at::kLong);
  return {.tensors = {{"input_ids", ids},
                      {"token_type_ids", at::zeros_like(ids)},
                      {"attention_mask", at::ones({2, 16}, at::kLong)},
                      {"masked_positions", at::randint(32, {3}, at::kLong)},
                      {"masked_labels", at::randint(300, {3}, at::kLong)},
                      {"next_sentence_label", at::randint(2, {2}, at::kLong)}},
          .samples = 2,
          .non_pad_tokens = 32};
}

// Loss, gradients (those that there are), buffers and what the generator gives next, after two
// micro-batches.
NamedTensors results(const std::string& workload, NetworkOptions options, bool autocast = false) {
  at::set_num_threads(1);
  options.shape = {.classes = 10, .vocab_size = 300};
  at::manual_seed(1);
  const auto network =
      workload == kResNet ? make_shallow_resnet(options) : make_network(workload, options);
  if (!autocast) network->module().to(at::kDouble);
  const auto batch = made_batch(workload);
  NamedTensors found;
  for (int i = 0; i < 2; ++i) {
    at::autocast::set_autocast_enabled(at::kCPU, autocast);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
    const auto loss = network->loss(batch);
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
    loss.backward();
    found["loss " + std::to_string(i)] = loss.detach();
  }
  for (const auto& item : network->module().named_parameters()) {
    if (item.value().grad().defined()) found["gradient " + item.key()] = item.value().grad();
  }
  for (const auto& item : network->module().named_buffers()) found[item.key()] = item.value();
  found["next"] = at::rand({4});
  return found;
}

void expect_same(const NamedTensors& plain, const NamedTensors& again, double allowed) {
  ASSERT_EQ(plain.size(), again.size());
  for (const auto& [name, tensor] : plain) {
    const double off =
        (again.at(name).to(at::kDouble) - tensor.to(at::kDouble)).abs().max().item<double>();
    EXPECT_LE(off, allowed) << name;
  }
}

TEST(Checkpointing, ResNetHasTheSameGradientsAndStatistics) {
  const auto plain = results(kResNet, {});
  expect_same(plain, results(kResNet, {.checkpointing = true}), 1e-12);
  EXPECT_TRUE(plain.contains("layer1.0.bn1.running_var"));
}

TEST(Checkpointing, BertHasTheSameGradientsWithDropout) {
  const auto plain = results("bert-mini", {});
  expect_same(plain, results("bert-mini", {.checkpointing = true}), 1e-12);
  const auto without = results("bert-mini", {.dropout = 0.0});
  EXPECT_FALSE(at::equal(plain.at("loss 0"), without.at("loss 0")));
}

TEST(Checkpointing, NetworksHaveTheSameGradientsUnderAutocast) {
  for (const char* workload : {kResNet, "bert-mini"}) {
    expect_same(results(workload, {}, true), results(workload, {.checkpointing = true}, true),
                1e-12);
  }
}

// In the layout that has them (fused_norm.h).
TEST(Checkpointing, ResNetHasTheSameGradientsWithFusedLayers) {
  const auto with = [](bool checkpointing, bool autocast) {
    return results(kResNet,
                   {.checkpointing = checkpointing,
                    .stochastic_depth = 0.3,
                    .memory_format = at::MemoryFormat::ChannelsLast},
                   autocast);
  };
  for (const bool autocast : {false, true}) {
    expect_same(with(false, autocast), with(true, autocast), 1e-12);
  }
}

TEST(Checkpointing, SkippedBranchesStaySkipped) {
  const auto plain = results(kResNet, {.stochastic_depth = 0.6});
  expect_same(plain, results(kResNet, {.checkpointing = true, .stochastic_depth = 0.6}), 1e-12);
  EXPECT_LT(plain.size(), results(kResNet, {}).size());
}

}  // namespace
}  // namespace scalemark::workloads
