// Our autograd nodes for transformers against compositions of ATen's operators, in float64. The
// masks are the same: a mask depends on its key and its rows' width alone, and the key on the seed.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/layers/attention.h"
#include "workloads/layers/encoder_nodes.h"
#include "workloads/layers/row_kernels.h"

namespace scalemark::workloads {
namespace {

using Many = std::vector<at::Tensor>;
using Function = std::function<at::Tensor(const Many&)>;

constexpr std::uint64_t kSeed = 21;

// The factors of the next mask, for rows of that width.
at::Tensor next_factors(std::int64_t rows, std::int64_t columns, double probability) {
  return fast_dropout(at::ones({rows, columns}, at::kDouble), probability);
}

// Value and gradients of `function` at copies of `inputs`, after the same seed.
Many value_and_gradients(const Function& function, const Many& inputs) {
  Many copies;
  for (const auto& input : inputs) copies.push_back(input.detach().clone().requires_grad_());
  at::manual_seed(kSeed);
  const auto y = function(copies);
  const auto weights = at::linspace(-1, 2, y.numel(), at::kDouble).view(y.sizes());
  (y * weights.to(y.scalar_type())).sum().backward();
  Many found{y.detach()};
  for (const auto& copy : copies) found.push_back(copy.grad());
  return found;
}

void expect_equal_functions(const Function& ours, const Function& oracle, const Many& inputs) {
  at::set_num_threads(1);
  const Many found = value_and_gradients(ours, inputs),
             expected = value_and_gradients(oracle, inputs);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(at::allclose(found[i], expected[i], 1e-11, 1e-12))
        << (i == 0 ? "value" : "input ") << i;
    EXPECT_EQ(found[i].strides(), expected[i].strides()) << i;
  }
}

// The nodes may overwrite or want dense what they get from a product: `x * 1` stands for it.
at::Tensor norm_of(const Many& in, double probability) {
  return residual_norm(in[0] * 1, in[1], in[2], {in[3], in[4], 1e-12}, probability);
}

Many inputs_of_norm(std::int64_t columns) {
  at::manual_seed(4);
  const auto vector = [&] { return at::randn({columns}, at::kDouble); };
  return {at::randn({3, 50, columns}, at::kDouble), vector(),
          at::randn({3, 50, columns}, at::kDouble), vector(), vector()};
}

TEST(ResidualNorm, EqualsATensOperatorsOnTheSameMask) {
  for (const std::int64_t columns : {3, 7, 64, 129}) {
    for (const double p : {0.0, 0.1, 0.9}) {
      const Function oracle = [&](const Many& in) {
        auto y = in[0] + in[1];
        if (p > 0) y = y * next_factors(150, columns, p).view(y.sizes());
        return at::layer_norm(y + in[2], {columns}, in[3], in[4], 1e-12);
      };
      const Function ours = [&](const Many& in) { return norm_of(in, p); };
      expect_equal_functions(ours, oracle, inputs_of_norm(columns));
    }
  }
}

TEST(BiasGelu, EqualsATens) {
  at::manual_seed(5);
  const Many inputs{at::randn({4, 33, 65}, at::kDouble) * 4, at::randn({65}, at::kDouble)};
  expect_equal_functions([](const Many& in) { return bias_gelu(in[0], in[1]); },
                         [](const Many& in) { return at::gelu(in[0] + in[1]); }, inputs);
}

TEST(FastDropout, ScalesWhatItKeepsAndItsGradient) {
  for (const double p : {0.1, 0.5}) {
    at::manual_seed(kSeed);
    const auto factors = next_factors(40, 100, p);
    const double scale = kernels::dropout_of(p, 0).scale;
    EXPECT_TRUE(factors.eq(0).logical_or(factors.eq(scale)).all().item<bool>());
    expect_equal_functions([&](const Many& in) { return fast_dropout(in[0], p); },
                           [&](const Many& in) { return in[0] * factors; },
                           {at::randn({40, 100}, at::kDouble)});
  }
}

Many inputs_of_attention(std::int64_t length) {
  at::manual_seed(6);
  const auto one = [&] { return at::randn({2, length, 24}, at::kDouble); };
  return {one(), one(), one()};
}

// 3 heads of 8 features; `mask` [n, s].
at::Tensor plain_attention(const Many& in, const std::optional<at::Tensor>& mask, double p) {
  const std::int64_t s = in[0].size(1);
  const auto heads = [&](const at::Tensor& x) { return x.view({2, s, 3, 8}).transpose(1, 2); };
  auto scores = at::matmul(heads(in[0]), heads(in[1]).transpose(2, 3)) / std::sqrt(8.0);
  if (mask) scores = scores + mask->view({2, 1, 1, s});
  auto kept = at::softmax(scores, 3);
  if (p > 0) kept = kept * next_factors(2 * 3 * s, s, p).view(kept.sizes());
  return at::matmul(kept, heads(in[2])).transpose(1, 2).reshape({2, s, 24});
}

TEST(DropoutAttention, EqualsATensOperatorsOnTheSameMask) {
  for (const std::int64_t length : {5, 40, 130}) {
    auto padding = at::zeros({2, length}, at::kDouble);
    padding.narrow(1, length - 2, 2).fill_(-INFINITY);
    for (const auto& mask : {std::optional<at::Tensor>(), std::optional(padding)}) {
      for (const double p : {0.0, 0.1}) {
        expect_equal_functions(
            [&](const Many& in) { return dropout_attention(in[0], in[1], in[2], mask, 3, p); },
            [&](const Many& in) { return plain_attention(in, mask, p); },
            inputs_of_attention(length));
      }
    }
  }
}

// Values and all gradients, bit by bit, of what the kernels compute alone.
TEST(FusedNodes, DoNotDependOnTheNumberOfThreads) {
  const Many norm = inputs_of_norm(640), gelu{norm[0], norm[1]};
  const std::vector<std::pair<Function, Many>> cases{
      {[](const Many& in) { return norm_of(in, 0.1); }, norm},
      {[](const Many& in) { return bias_gelu(in[0], in[1]); }, gelu},
      {[](const Many& in) { return fast_dropout(in[0], 0.1); }, {norm[0]}}};
  for (const auto& [function, inputs] : cases) {
    at::set_num_threads(1);
    const Many alone = value_and_gradients(function, inputs);
    for (const int threads : {2, 3}) {
      at::set_num_threads(threads);
      const Many together = value_and_gradients(function, inputs);
      at::set_num_threads(1);
      for (std::size_t i = 0; i < alone.size(); ++i) {
        EXPECT_TRUE(at::equal(alone[i], together[i])) << threads << " threads, " << i;
      }
    }
  }
}

TEST(FastDropout, SeedsDecideTheMask) {
  const auto drawn = [](std::uint64_t seed) {
    at::manual_seed(seed);
    return at::cat({next_factors(8, 100, 0.5), next_factors(8, 100, 0.5)});
  };
  const auto first = drawn(1);
  EXPECT_TRUE(at::equal(first, drawn(1)));
  EXPECT_FALSE(at::equal(first, drawn(2)));
  EXPECT_FALSE(at::equal(first.narrow(0, 0, 8), first.narrow(0, 8, 8)));
}

TEST(FastDropout, AGeneratorPutBackGivesTheSameMaskAgain) {
  at::manual_seed(3);
  auto generator = at::globalContext().defaultGenerator(at::kCPU);
  const auto state = generator.get_state();
  const auto first = next_factors(4, 300, 0.3);
  generator.set_state(state);
  EXPECT_TRUE(at::equal(first, next_factors(4, 300, 0.3)));
}

TEST(FastDropout, AProbabilityThatLeavesNothingIsRefused) {
  const auto x = at::ones({2, 2});
  for (const double p : {-0.1, 1.0, 2.0, std::nan("")}) {
    EXPECT_THROW(fast_dropout(x, p), c10::Error) << p;
  }
}

TEST(FusedNodes, KeepNothingWithoutGradients) {
  const Many inputs = inputs_of_norm(16);
  EXPECT_FALSE(norm_of(inputs, 0.1).requires_grad());
  auto x = inputs[0].clone().requires_grad_();
  const at::NoGradGuard no_grad;
  EXPECT_FALSE(bias_gelu(x, inputs[1]).requires_grad());
}

TEST(RowKernels, AreForFloatAndDoubleOnACpu) {
  EXPECT_TRUE(has_row_kernels(at::ones({2})));
  EXPECT_TRUE(has_row_kernels(at::ones({2}, at::kDouble)));
  EXPECT_FALSE(has_row_kernels(at::ones({2}, at::kHalf)));
  EXPECT_FALSE(has_row_kernels(at::ones({2}, at::kLong)));
}

}  // namespace
}  // namespace scalemark::workloads
