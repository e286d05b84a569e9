#include "engine/step/lamb_passes.h"

#include <ATen/Parallel.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include "engine/step/optimizer.h"

namespace scalemark::training {
namespace {

settings::RecipeSettings lamb() {
  settings::RecipeSettings recipe;
  recipe.optimizer = "lamb";
  recipe.weight_decay = 0.01;
  recipe.eps = 1e-6;
  return recipe;
}

// A matrix of several chunks, a small one and a bias, after three clipped steps. `dense` false:
// gradients in another layout than their parameters, which only torch's operators take.
std::vector<at::Tensor> trained(at::ScalarType type, bool dense) {
  at::manual_seed(5);
  const auto random = [&](at::IntArrayRef sizes) { return at::randn(sizes, at::kDouble).to(type); };
  std::vector<at::Tensor> all = {random({151, 133}), random({3, 5}), random({7})};
  std::vector<NamedParameter> named;
  for (at::Tensor& tensor : all) {
    named.push_back({"p" + std::to_string(named.size()), tensor.requires_grad_()});
  }
  const auto optimizer = make_optimizer(named, lamb());
  const at::Tensor divisor = at::ones({}, type) * 3;
  for (int step = 0; step < 3; ++step) {
    for (at::Tensor& tensor : all) {
      const at::Tensor gradient = random(tensor.sizes());
      tensor.mutable_grad() = dense || tensor.dim() < 2 ? gradient : gradient.t().contiguous().t();
    }
    optimizer->step(0.1, {.divisor = divisor});
  }
  return all;
}

TEST(LambPasses, EqualTorchsOperators) {
  for (const auto& [type, allowed] : {std::pair{at::kDouble, 1e-14}, {at::kFloat, 1e-6}}) {
    const auto own = trained(type, true), plain = trained(type, false);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double apart = ((own[i] - plain[i]).norm() / plain[i].norm()).item<double>();
      EXPECT_LT(apart, allowed) << "parameter " << i;
    }
  }
}

TEST(LambPasses, ServeDenseTensorsInOneLayout) {
  ParameterLists lists;
  const auto ones = [](at::IntArrayRef sizes) { return at::ones(sizes); };
  lists.parameters = {ones({4, 6})};
  lists.gradients = {ones({4, 6})};
  lists.state = {{{ones({4, 6})}, {ones({4, 6})}, {}}};
  EXPECT_TRUE(LambPasses::serve(lists));
  lists.gradients = {ones({6, 4}).t()};
  EXPECT_FALSE(LambPasses::serve(lists));
  lists.gradients = {ones({4, 6}).to(at::kBFloat16)};
  EXPECT_FALSE(LambPasses::serve(lists));
  lists.gradients = {ones({4, 6})};
  lists.parameters = {ones({4, 12}).narrow(1, 0, 6)};
  EXPECT_FALSE(LambPasses::serve(lists)) << "not dense";
}

TEST(LambPasses, DoNotDependOnTheNumberOfThreads) {
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto alone = trained(at::kFloat, true);
  at::set_num_threads(3);
  const auto together = trained(at::kFloat, true);
  at::set_num_threads(before);
  for (std::size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(at::equal(alone[i], together[i]));
}

}  // namespace
}  // namespace scalemark::training
