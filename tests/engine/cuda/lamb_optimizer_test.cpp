// LAMB as it trains on a GPU: the optimizer finds kernels for its tensors, those of CUDA compiled
// as C++ (lamb_operators_test.cpp registers them).
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "engine/step/optimizer.h"
#include "engine/step/precision.h"
#include "workloads/layers/weight_copies.h"

namespace scalemark::training {
namespace {

constexpr int kLaunchesOfAStep = 1 + 3 + 2;  // numbers; matrices with their norms; the others

settings::RecipeSettings lamb_recipe() {
  settings::RecipeSettings recipe;
  recipe.optimizer = "lamb";
  recipe.weight_decay = 0.01;
  recipe.eps = 1e-6;
  return recipe;
}

struct Training {
  at::ScalarType type = at::kFloat;
  bool by_kernels = true;  // else gradients of another layout, which only torch's operators take
  WholeNorms whole_norms;
};

struct Trained {
  std::vector<at::Tensor> parameters;
  int launches = 0;  // the last step made so many
};

// A matrix of several chunks, a small one, a kernel and a bias, after three clipped steps.
Trained train(const Training& training) {
  const cuda_shim::OnFibres fibres;
  at::manual_seed(5);
  const auto random = [&](at::IntArrayRef sizes) {
    return at::randn(sizes, at::kDouble).to(training.type);
  };
  std::vector<at::Tensor> all = {random({151, 133}), random({3, 5}), random({4, 3, 3, 2}),
                                 random({7})};
  std::vector<NamedParameter> named;
  for (at::Tensor& tensor : all) {
    named.push_back({"p" + std::to_string(named.size()), tensor.requires_grad_()});
  }
  const auto optimizer = make_optimizer(named, lamb_recipe(), training.whole_norms);
  const at::Tensor divisor = at::ones({}, training.type) * 3;
  Trained trained{all};
  for (int step = 0; step < 3; ++step) {
    for (at::Tensor& tensor : all) {
      const at::Tensor gradient = random(tensor.sizes());
      tensor.mutable_grad() = training.by_kernels || tensor.dim() < 2
                                  ? gradient
                                  : gradient.transpose(0, 1).contiguous().transpose(0, 1);
    }
    const int before = cuda_shim::launches();
    optimizer->step(0.1, {.divisor = divisor});
    trained.launches = cuda_shim::launches() - before;
  }
  return trained;
}

void expect_near_parameters(const Trained& found, const Trained& expected, double allowed) {
  for (std::size_t i = 0; i < found.parameters.size(); ++i) {
    const at::Tensor &own = found.parameters[i], plain = expected.parameters[i];
    EXPECT_LT(((own - plain).norm() / plain.norm()).item<double>(), allowed) << "parameter " << i;
  }
}

TEST(LambByKernels, TrainsAsTorchsOperatorsDo) {
  for (const auto& [type, allowed] : {std::pair{at::kDouble, 1e-14}, {at::kFloat, 1e-6}}) {
    const Trained own = train({.type = type}), plain = train({.type = type, .by_kernels = false});
    expect_near_parameters(own, plain, allowed);
    EXPECT_EQ(own.launches, kLaunchesOfAStep);
    EXPECT_EQ(plain.launches, 1 + 2) << "the bias only";
  }
}

// Stands for two ranks that hold halves of each matrix, with equal norms.
TEST(LambByKernels, TakesNormsOfWholeMatricesFromOtherRanks) {
  int calls = 0;
  const WholeNorms halves = [&calls](const at::Tensor& norms) {
    ++calls;
    EXPECT_EQ(norms.size(0), 2);
    EXPECT_EQ(norms.scalar_type(), at::kFloat) << "as the parameters are";
    at::Tensor whole = norms.clone();
    whole[0] *= 3;  // this changes the ratios
    return whole;
  };
  const Trained own = train({.whole_norms = halves});
  EXPECT_EQ(calls, 3);
  const Trained plain = train({.by_kernels = false, .whole_norms = halves});
  expect_near_parameters(own, plain, 1e-6);
  const double apart = (own.parameters[0] - train({}).parameters[0]).norm().item<double>();
  EXPECT_GT(apart, 0.1);
}

TEST(LambByKernels, MeetsOtherRanksWithoutAPieceOfItsOwn) {
  const cuda_shim::OnFibres fibres;
  int empty = 0;
  const WholeNorms counting = [&empty](const at::Tensor& norms) {
    empty += norms.size(1) == 0;
    return norms;
  };
  at::Tensor bias = at::ones({4}).requires_grad_();
  const auto optimizer = make_optimizer({{"b", bias}}, lamb_recipe(), counting);
  bias.mutable_grad() = at::ones({4});
  optimizer->step(0.1);
  EXPECT_EQ(empty, 1);
  EXPECT_NEAR(bias[0].item<float>(), 0.899, 1e-5);
}

TEST(LambByKernels, KeepsCopiesOfWeightsCurrent) {
  const cuda_shim::OnFibres fibres;
  at::manual_seed(7);
  at::Tensor weight = at::randn({30, 11}).requires_grad_();
  workloads::WeightCopies copies(at::kBFloat16, workloads::CopyGradients::kOfWeights);
  const PrecisionPolicy policy(Precision::kAmpBf16, at::kCPU);
  const AutocastScope autocast(policy);
  const at::Tensor copy = copies.values_of(weight);
  const auto optimizer = make_optimizer({{"w", weight}}, lamb_recipe());
  optimizer->use(copies);
  for (int step = 0; step < 2; ++step) {
    weight.mutable_grad() = at::randn({30, 11});
    copies.mark_outdated();
    optimizer->step(0.1);
    EXPECT_TRUE(copies.find(weight)->is_current);
    EXPECT_TRUE(at::equal(copy, weight.detach().to(at::kBFloat16)));
    EXPECT_TRUE(at::equal(copies.values_of(weight), copy));
  }
}

}  // namespace
}  // namespace scalemark::training
