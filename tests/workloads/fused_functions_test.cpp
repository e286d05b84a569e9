#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "workloads/networks/classification.h"

namespace scalemark::workloads {
namespace {

using Tensors = std::vector<at::Tensor>;

Tensors fresh(const Tensors& tensors, bool with_gradient = true) {
  Tensors copies;
  for (const auto& tensor : tensors) {
    copies.push_back(tensor.detach().clone().set_requires_grad(with_gradient));
  }
  return copies;
}

// Result and gradients of both, ATen's as the oracle.
void expect_same(const std::function<at::Tensor(const Tensors&)>& ours,
                 const std::function<at::Tensor(const Tensors&)>& oracle, const Tensors& inputs,
                 double tolerance) {
  const Tensors a = fresh(inputs), b = fresh(inputs);
  const at::Tensor y = ours(a), expected = oracle(b);
  EXPECT_TRUE(at::allclose(y, expected, tolerance, tolerance)) << y << expected;
  // A gradient that is not 1, nor as large as the result: it multiplies the rounding of softmax -
  // 1, which at a likely label is that of 1.
  const at::Tensor gradient = at::randn(y.sizes(), y.options());
  (y * gradient).sum().backward();
  (expected * gradient).sum().backward();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_TRUE(at::allclose(a[i].grad(), b[i].grad(), tolerance, tolerance)) << "input " << i;
    EXPECT_EQ(a[i].grad().strides(), b[i].grad().strides()) << "input " << i;
  }
}

at::Tensor our_linear(const Tensors& in) { return linear(in[0], in[1], in[2]); }
at::Tensor their_linear(const Tensors& in) { return at::linear(in[0], in[1], in[2]); }

TEST(Linear, EqualsATen) {
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-12}, {at::kFloat, 1e-5}}) {
    const Tensors inputs{at::randn({5, 7}, type), at::randn({3, 7}, type), at::randn({3}, type)};
    expect_same(our_linear, their_linear, inputs, tolerance);
    const Tensors deep{at::randn({2, 5, 7}, type), inputs[1], inputs[2]};
    expect_same(our_linear, their_linear, deep, tolerance);
  }
}

TEST(Linear, TracksGradientsOnlyWhereTheyAreWanted) {
  const auto x = at::randn({5, 7});
  auto parameters = fresh({at::randn({3, 7}), at::randn({3})});
  linear(x, parameters[0], parameters[1]).sum().backward();
  EXPECT_FALSE(x.grad().defined());
  EXPECT_TRUE(parameters[0].grad().defined());
  parameters = fresh(parameters, false);
  EXPECT_FALSE(linear(x, parameters[0], parameters[1]).requires_grad());
}

TEST(MeanCrossEntropy, EqualsATen) {
  const auto labels = at::randint(10, {6}, at::kLong);
  const auto ours = [&](const Tensors& in) { return mean_cross_entropy(in[0], labels); };
  const auto theirs = [&](const Tensors& in) { return at::cross_entropy_loss(in[0], labels); };
  for (const auto& [type, tolerance] : {std::pair{at::kDouble, 1e-12}, {at::kFloat, 1e-6}}) {
    expect_same(ours, theirs, {at::randn({6, 10}, type)}, tolerance);
    expect_same(ours, theirs, {at::randn({6, 10}, type) * 500 + 1e4}, tolerance);  // would overflow
  }
}

TEST(MeanCrossEntropy, ALabelThatIsNoClassIsRefused) {
  const auto logits = at::randn({2, 3});
  for (const std::int64_t bad : {-1, -100, 3}) {
    EXPECT_THROW(mean_cross_entropy(logits, at::tensor({std::int64_t{0}, bad})), c10::Error) << bad;
  }
}

TEST(MeanCrossEntropy, ANonFiniteLogitIsSeen) {
  auto logits = at::randn({2, 3});
  logits[0][1] = std::numeric_limits<float>::quiet_NaN();
  const auto labels = at::tensor({std::int64_t{0}, std::int64_t{2}});
  EXPECT_TRUE(std::isnan(mean_cross_entropy(logits, labels).item<float>()));
  logits[0][1] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(std::isfinite(mean_cross_entropy(logits, labels).item<float>()));
}

TEST(MeanCrossEntropy, OtherKindsAreLeftToATen) {
  const auto labels = at::randint(3, {2}, at::kLong);
  EXPECT_TRUE(has_mean_cross_entropy(at::randn({2, 3}), labels));
  EXPECT_FALSE(has_mean_cross_entropy(at::randn({2, 3}, at::kBFloat16), labels));
  EXPECT_FALSE(has_mean_cross_entropy(at::randn({3, 2}).t(), labels));
  EXPECT_FALSE(has_mean_cross_entropy(at::randn({2, 3}), labels.to(at::kInt)));
}

}  // namespace
}  // namespace scalemark::workloads
