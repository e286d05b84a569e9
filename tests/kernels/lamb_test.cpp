#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "kernels/optimizer_kernels.h"

namespace scalemark::kernels {
namespace {

constexpr LambNumbers kNumbers{.divisor = 2,
                               .beta1 = 0.9,
                               .beta2 = 0.999,
                               .correction1 = 0.19,
                               .correction2 = 0.0447,
                               .eps = 1e-6,
                               .weight_decay = 0.01};
constexpr std::int64_t kSize = 1003, kBegin = 5, kEnd = 998;  // no multiple of any vector

template <class C>
struct Arrays {
  std::vector<C> gradient, parameter, mean, mean_square;

  static Arrays random() {
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    const auto values = [&](bool positive) {
      std::vector<C> all(kSize);
      for (C& value : all) {
        const double drawn = normal(generator);
        value = static_cast<C>(positive ? drawn * drawn : drawn);
      }
      return all;
    };
    return {values(false), values(false), values(false), values(true)};
  }
  LambTensor<C> pointers() {
    return {gradient.data(), parameter.data(), mean.data(), mean_square.data()};
  }
};

// The formula as it is written, an element at a time in double.
struct Reference {
  double mean, mean_square, direction, parameter;

  template <class C>
  Reference(const Arrays<C>& a, std::size_t i, double rate) {
    const double gradient = a.gradient[i] / kNumbers.divisor;
    mean = kNumbers.beta1 * a.mean[i] + (1 - kNumbers.beta1) * gradient;
    mean_square = kNumbers.beta2 * a.mean_square[i] + (1 - kNumbers.beta2) * gradient * gradient;
    direction = mean / kNumbers.correction1 /
                    (std::sqrt(mean_square) / kNumbers.correction2 + kNumbers.eps) +
                kNumbers.weight_decay * a.parameter[i];
    parameter = a.parameter[i] - rate * direction;
  }
};

template <class C>
const LambKernels<C>& kernels_of(InstructionSet set) {
  if constexpr (std::is_same_v<C, float>) {
    return optimizer_kernels(set).of_float;
  } else {
    return optimizer_kernels(set).of_double;
  }
}

template <class C>
void expect_formula(InstructionSet set, double allowed) {
  const auto before = Arrays<C>::random();
  auto after = before;
  const auto& kernels = kernels_of<C>(set);
  const LambSquares squares = kernels.moments(after.pointers(), kNumbers, kBegin, kEnd);
  kernels.apply(after.pointers(), kNumbers, 0.25, kBegin, kEnd);
  double of_parameter = 0, of_direction = 0;
  for (std::int64_t k = 0; k < kSize; ++k) {
    const auto i = static_cast<std::size_t>(k);
    if (k < kBegin || k >= kEnd) {
      EXPECT_EQ(after.parameter[i], before.parameter[i]) << "outside of what was asked for";
      EXPECT_EQ(after.mean[i], before.mean[i]);
      continue;
    }
    const Reference wanted(before, i, 0.25);
    EXPECT_NEAR(after.mean[i], wanted.mean, allowed);
    EXPECT_NEAR(after.mean_square[i], wanted.mean_square, allowed);
    EXPECT_NEAR(after.parameter[i], wanted.parameter, 4 * allowed);
    of_parameter += static_cast<double>(before.parameter[i]) * before.parameter[i];
    of_direction += wanted.direction * wanted.direction;
  }
  EXPECT_NEAR(squares.parameter / of_parameter, 1, 10 * allowed);
  EXPECT_NEAR(squares.direction / of_direction, 1, 10 * allowed);
}

class Lamb : public ::testing::TestWithParam<InstructionSet> {};

TEST_P(Lamb, FollowsItsFormula) {
  if (!runs(GetParam())) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  expect_formula<float>(GetParam(), 2e-6);
  expect_formula<double>(GetParam(), 1e-14);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Lamb,
                         ::testing::Values(InstructionSet::kPortable, InstructionSet::kAvx2,
                                           InstructionSet::kAvx512),
                         [](const auto& tested) { return name_of(tested.param); });

}  // namespace
}  // namespace scalemark::kernels
