// BERT and its autograd nodes as on a GPU, by the CUDA kernels on a CPU (shim_runtime.h), against
// ATen's operators.
#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "shim_runtime.h"
#include "workloads/layers/encoder_nodes.h"
#include "workloads/layers/layer_operators.h"
#include "workloads/networks/network.h"

TORCH_LIBRARY_IMPL(scalemark, CPU, library) {
  scalemark::cuda::register_layer_passes<scalemark::cuda::ShimRuntime>(library);
}

namespace scalemark::workloads {
namespace {

// For all tests: BERT has some thousand launches.
const cuda_shim::OnFibres fibres;

using cuda::ShimRuntime;
using Many = std::vector<at::Tensor>;
using Function = std::function<at::Tensor(const Many&)>;

// Value and gradients at copies of `inputs`.
Many value_and_gradients(const Function& function, const Many& inputs) {
  Many copies;
  for (const auto& input : inputs) copies.push_back(input.detach().clone().requires_grad_());
  const auto y = function(copies);
  const auto weights = at::linspace(-1, 2, y.numel(), at::kDouble).view(y.sizes());
  (y * weights.to(y.scalar_type())).sum().backward();
  Many found{y.detach()};
  for (const auto& copy : copies) found.push_back(copy.grad());
  return found;
}

void expect_equal_functions(const Function& ours, const Function& oracle, const Many& inputs) {
  const Many found = value_and_gradients(ours, inputs),
             expected = value_and_gradients(oracle, inputs);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-11, 1e-12)) << i;
    EXPECT_EQ(found[i].strides(), expected[i].strides()) << i;
  }
}

at::Tensor random_values(at::IntArrayRef sizes) { return at::randn(sizes, at::kDouble); }

// Both outputs have a user, in different shares.
TEST(ForkedNorm, AddsWhatItsTwoUsersGiveBack) {
  at::manual_seed(4);
  for (const std::int64_t columns : {7, 64}) {
    const Many inputs{random_values({3, 5, columns}), random_values({columns}),
                      random_values({3, 5, columns}), random_values({columns}),
                      random_values({columns})};
    const auto joined = [](const Fork& y) { return 2 * y.branch + y.shortcut * y.shortcut; };
    expect_equal_functions(
        [&](const Many& in) {
          return joined(forked_residual_norm(in[0] * 1, in[1], in[2], {in[3], in[4], 1e-12}, 0));
        },
        [&](const Many& in) {
          const auto y = at::layer_norm(in[0] + in[1] + in[2], {columns}, in[3], in[4], 1e-12);
          return joined({y, y});
        },
        inputs);
  }
}

TEST(ForkedNorm, TakesOneGradientFromEitherUser) {
  at::manual_seed(5);
  const Many inputs{random_values({4, 8}), random_values({8}), random_values({4, 8}),
                    random_values({8}), random_values({8})};
  for (const bool first : {true, false}) {
    expect_equal_functions(
        [&](const Many& in) {
          const Fork y = forked_residual_norm(in[0] * 1, in[1], in[2], {in[3], in[4], 1e-12}, 0);
          return first ? y.branch : y.shortcut;
        },
        [&](const Many& in) {
          return at::layer_norm(in[0] + in[1] + in[2], {8}, in[3], in[4], 1e-12);
        },
        inputs);
  }
}

// Also in rows longer than those of a norm: BERT-base has 3,072.
TEST(BiasGelu, IsAnOperatorWithItsGradients) {
  at::manual_seed(7);
  for (const std::int64_t columns : {9, 1032}) {
    const auto before = cuda_shim::launches();
    expect_equal_functions([](const Many& in) { return bias_gelu(in[0] * 1, in[1]); },
                           [](const Many& in) { return at::gelu(in[0] + in[1]); },
                           {random_values({2, 3, columns}), random_values({columns})});
    EXPECT_EQ(cuda_shim::launches() - before, 3) << columns;
  }
}

TEST(Products, ThreeProjectionsAreThreeLinearLayers) {
  at::manual_seed(6);
  for (const std::int64_t features : {5, 16}) {
    Many inputs{random_values({2, 3, features})};
    for (int i = 0; i < 3; ++i) {
      inputs.push_back(random_values({features, features}));
      inputs.push_back(random_values({features}));
    }
    const auto joined = [](const auto& y) { return y[0] * y[1] + 3 * y[2]; };
    expect_equal_functions(
        [&](const Many& in) {
          return joined(projections(in[0], {Layer{in[1], in[2]}, {in[3], in[4]}, {in[5], in[6]}}));
        },
        [&](const Many& in) {
          return joined(Many{at::linear(in[0], in[1], in[2]), at::linear(in[0], in[3], in[4]),
                             at::linear(in[0], in[5], in[6])});
        },
        inputs);
  }
}

TEST(Products, OneProjectionThatNobodyUsesHasAGradientOfZero) {
  at::manual_seed(6);
  Many inputs{random_values({2, 3, 8})};
  for (int i = 0; i < 3; ++i) {
    inputs.push_back(random_values({8, 8}));
    inputs.push_back(random_values({8}));
  }
  const Many found = value_and_gradients(
      [](const Many& in) {
        return projections(in[0], {Layer{in[1], in[2]}, {in[3], in[4]}, {in[5], in[6]}})[1];
      },
      inputs);
  EXPECT_TRUE(found[2].eq(0).all().item<bool>());  // the first weight
  EXPECT_FALSE(found[4].eq(0).all().item<bool>());
}

class Autocast {
 public:
  Autocast() {
    at::autocast::set_autocast_enabled(at::kCPU, true);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
  ~Autocast() {
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
};

TEST(Products, UnderAutocastGradientsOfWeightsAreNotRounded) {
  at::manual_seed(7);
  const auto rounded = [](const at::Tensor& x) { return x.to(at::kBFloat16).to(at::kFloat); };
  const auto x = rounded(at::randn({2, 9, 16})), of_y = rounded(at::randn({2, 9, 8}));
  auto weight = rounded(at::randn({8, 16})).requires_grad_();
  auto bias = rounded(at::randn({8})).requires_grad_();
  auto in = x.clone().requires_grad_();
  at::Tensor y;
  {
    const Autocast autocast;
    y = product(in, weight, bias);
  }
  EXPECT_EQ(y.scalar_type(), at::kBFloat16);
  y.backward(of_y.to(at::kBFloat16));
  const auto flat = of_y.view({18, 8});
  EXPECT_EQ(weight.grad().scalar_type(), at::kFloat);
  EXPECT_TRUE(weight.grad().allclose(flat.t().mm(x.view({18, 16})), 1e-5, 1e-5));
  EXPECT_TRUE(bias.grad().allclose(flat.sum(0), 1e-5, 1e-5));
  EXPECT_TRUE(in.grad().allclose(of_y.matmul(weight.detach()), 1e-2, 5e-2));
}

struct BertRun {
  bool fused = true;
  double dropout = 0;
  at::ScalarType type = at::kDouble;
  bool autocast = false;
  bool padded = false;
  bool checkpointed = false;
  int steps = 1;
};

struct Course {
  std::vector<double> losses;
  std::map<std::string, at::Tensor> gradients;  // float64; the last step left them
};

data::Batch sentences(std::uint64_t seed, bool padded) {
  at::manual_seed(seed);
  const auto ids = at::randint(1, 300, {2, 12}, at::kLong);
  auto real = at::ones_like(ids);
  if (padded) real.select(0, 1).narrow(0, 9, 3).zero_();
  return {.tensors = {{"input_ids", ids * real},
                      {"token_type_ids", at::zeros_like(ids)},
                      {"attention_mask", real},
                      {"masked_positions", at::randint(24, {5}, at::kLong)},
                      {"masked_labels", at::randint(300, {5}, at::kLong)},
                      {"next_sentence_label", at::randint(2, {2}, at::kLong)}},
          .samples = 2,
          .non_pad_tokens = padded ? 21 : 24};
}

Course trained(const BertRun& run) {
  at::manual_seed(7);
  const auto network = make_network("bert-mini", {.shape = {.vocab_size = 300},
                                                  .dropout = run.dropout,
                                                  .checkpointing = run.checkpointed,
                                                  .fused_layers = run.fused});
  network->module().to(run.type);
  Course course;
  for (int step = 0; step < run.steps; ++step) {
    const auto batch = sentences(100 + static_cast<std::uint64_t>(step), run.padded);
    at::Tensor loss;
    if (run.autocast) {
      const Autocast autocast;
      loss = network->loss(batch);
    } else {
      loss = network->loss(batch);
    }
    course.losses.push_back(loss.item<double>());
    loss.backward();
    const at::NoGradGuard no_grad;
    for (const auto& item : network->module().named_parameters()) {
      auto& gradient = item.value().mutable_grad();
      EXPECT_EQ(gradient.scalar_type(), run.type) << item.key();
      course.gradients[item.key()] = gradient.to(at::kDouble, false, /*copy=*/true);
      item.value().sub_(gradient, 0.05);
      gradient.reset();
    }
  }
  return course;
}

double norm_of_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).norm().item<double>();
}

TEST(BertOnCuda, TrainsAsThePlainOneInFloat64) {
  const int before = cuda_shim::launches();
  for (const bool padded : {false, true}) {
    const Course fused = trained({.padded = padded, .steps = 5});
    const Course plain = trained({.fused = false, .padded = padded, .steps = 5});
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(fused.losses[i], plain.losses[i], 1e-12 * plain.losses[i]) << i;
    }
    ASSERT_EQ(fused.gradients.size(), plain.gradients.size());
    for (const auto& [name, gradient] : plain.gradients) {
      // The loss does not depend on a key's bias: its gradient is rounding.
      EXPECT_LE(norm_of_difference(fused.gradients.at(name), gradient),
                1e-10 * gradient.norm().item<double>() + 1e-15)
          << name;
    }
  }
  EXPECT_GT(cuda_shim::launches(), before);
}

double error_of(const BertRun& run, const Course& exact) {
  const Course course = trained(run);
  double square = 0, all = 0;
  for (const auto& [name, gradient] : exact.gradients) {
    square += std::pow(norm_of_difference(course.gradients.at(name), gradient), 2);
    all += std::pow(gradient.norm().item<double>(), 2);
  }
  return std::sqrt(square / all);
}

// In bf16 the stream of residuals is rounded, too, which the plain network keeps in float: errors
// of the same size, not smaller ones.
TEST(BertOnCuda, IsAsNearToFloat64AsThePlainOne) {
  const Course exact = trained({.fused = false});
  for (const bool autocast : {false, true}) {
    const double fused = error_of({.type = at::kFloat, .autocast = autocast}, exact);
    const double plain =
        error_of({.fused = false, .type = at::kFloat, .autocast = autocast}, exact);
    RecordProperty(autocast ? "fused_bf16" : "fused_fp32", std::to_string(fused));
    RecordProperty(autocast ? "plain_bf16" : "plain_fp32", std::to_string(plain));
    EXPECT_LE(fused, (autocast ? 1.5 : 1.1) * plain) << "autocast " << autocast;
    EXPECT_LE(fused, autocast ? 0.05 : 5e-6) << "autocast " << autocast;
  }
}

TEST(BertOnCuda, RepeatsBitByBitCheckpointedToo) {
  for (const bool autocast : {false, true}) {
    BertRun run{.type = at::kFloat, .autocast = autocast, .steps = 2};
    const Course first = trained(run), again = trained(run);
    run.checkpointed = true;
    const Course checkpointed = trained(run);
    EXPECT_EQ(first.losses, again.losses);
    EXPECT_EQ(first.losses, checkpointed.losses);
    for (const auto& [name, gradient] : first.gradients) {
      EXPECT_TRUE(at::equal(gradient, again.gradients.at(name))) << name;
      EXPECT_TRUE(at::equal(gradient, checkpointed.gradients.at(name))) << name;
    }
  }
}

// The masks' share of it: torch's own dropout draws from another generator here.
TEST(ForkedNorm, DropoutsGradientFollowsItsMask) {
  at::manual_seed(9);
  ShimRuntime::seed = 21;
  ShimRuntime::offset = 0;
  const auto residual = random_values({6, 40});
  auto x = random_values({6, 40}).requires_grad_();
  const auto zeros = random_values({40}) * 0, ones = zeros + 1;
  const Fork y = forked_residual_norm(x, zeros, residual, {ones, zeros, 1e-12}, 0.4);
  (y.branch * random_values({6, 40})).sum().backward();
  ShimRuntime::offset = 0;
  const auto kept = residual_norm_pass(x.detach(), zeros, residual, ones, zeros, 1e-12, 0.4);
  const auto dropped = (kept.sum - residual).abs().lt(1e-12);
  EXPECT_TRUE(at::equal(x.grad().eq(0), dropped));
  const double share = dropped.to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(share, 0.4, 0.15);
}

TEST(LayerOperators, AreForTypesAndRowsThatKernelsHold) {
  EXPECT_TRUE(has_layer_operators(at::randn({2, 4096})));
  EXPECT_TRUE(has_norm_operator(at::randn({2, 1024})));
  EXPECT_TRUE(has_layer_operators(at::randn({2, 8}).to(at::kHalf)));
  EXPECT_FALSE(has_norm_operator(at::randn({2, 1025})));
  EXPECT_FALSE(has_layer_operators(at::randint(5, {2, 8}, at::kLong)));
}

}  // namespace
}  // namespace scalemark::workloads
