#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/optimizer_kernels.h"

namespace scalemark::kernels {
namespace {

constexpr std::int64_t kElements = 1003, kFirst = 5, kLast = 998;  // no multiple of any vector

float value_of(BFloat16 rounded) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(rounded.bits) << 16);
}

// Rounds as defined: to the nearer of the two neighbours, halfway to the even one.
BFloat16 nearest(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto below = static_cast<std::uint16_t>(bits >> 16);
  const auto rest = bits & 0xffffu;
  const bool up = rest > 0x8000u || (rest == 0x8000u && (below & 1) != 0);
  return {static_cast<std::uint16_t>(below + (up ? 1 : 0))};
}

struct Weights {
  std::vector<float> gradient, parameter, mean, mean_square;
  std::vector<BFloat16> rounded_gradient, copy;

  Weights() : copy(kElements, BFloat16{0}) {
    std::mt19937 generator(3);
    std::normal_distribution<float> normal;
    for (std::int64_t i = 0; i < kElements; ++i) {
      rounded_gradient.push_back(nearest(normal(generator)));
      gradient.push_back(value_of(rounded_gradient.back()));
      parameter.push_back(normal(generator));
      mean.push_back(normal(generator));
      const float drawn = normal(generator);
      mean_square.push_back(drawn * drawn);
    }
  }

  WeightTensor pointers(bool rounded) {
    return {.gradient = rounded ? nullptr : gradient.data(),
            .rounded_gradient = rounded ? rounded_gradient.data() : nullptr,
            .parameter = parameter.data(),
            .mean = mean.data(),
            .mean_square = mean_square.data(),
            .copy = copy.data()};
  }
};

// Compares with `expected(i)`, an element at a time in double; what lies outside is as it was.
template <class Update, class Expected>
void expect_updated(const Update& update, const Expected& expected) {
  for (const InstructionSet set :
       {InstructionSet::kPortable, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (!runs(set)) continue;
    for (const bool rounded : {false, true}) {
      const Weights before;
      Weights after;
      update(weight_update_kernels(set), after.pointers(rounded));
      for (std::size_t i = 0; i < kElements; ++i) {
        const bool inside = i >= kFirst && i < kLast;
        const double wanted = inside ? expected(before, i) : before.parameter[i];
        EXPECT_NEAR(after.parameter[i], wanted, 4e-6 * (1 + std::abs(wanted)));
        EXPECT_EQ(after.copy[i].bits, inside ? nearest(after.parameter[i]).bits : 0);
      }
    }
  }
}

double sgd_of(const Weights& w, std::size_t i, const SgdNumbers& n, bool has_momentum) {
  double step = w.gradient[i] / n.divisor + n.weight_decay * w.parameter[i];
  if (has_momentum) {
    const double momentum = n.momentum * w.mean[i] + step;
    step = n.nesterov ? step + n.momentum * momentum : momentum;
  }
  return w.parameter[i] - n.rate * step;
}

TEST(WeightUpdate, IsTheFormulaOfSgd) {
  for (const bool nesterov : {false, true}) {
    for (const bool has_momentum : {false, true}) {
      const SgdNumbers n{
          .divisor = 2, .rate = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = nesterov};
      expect_updated(
          [&](const WeightUpdateKernels& kernels, WeightTensor t) {
            if (!has_momentum) t.mean = nullptr;
            kernels.sgd(t, n, kFirst, kLast);
          },
          [&](const Weights& w, std::size_t i) { return sgd_of(w, i, n, has_momentum); });
    }
  }
}

double adam_of(const Weights& w, std::size_t i, const AdamNumbers& n) {
  const double x = n.decoupled ? w.parameter[i] * (1 - n.rate * n.weight_decay) : w.parameter[i];
  const double gradient = w.gradient[i] / n.divisor + (n.decoupled ? 0 : n.weight_decay * x);
  const double mean = n.beta1 * w.mean[i] + (1 - n.beta1) * gradient;
  const double square = n.beta2 * w.mean_square[i] + (1 - n.beta2) * gradient * gradient;
  return x - n.rate * mean / n.correction1 / (std::sqrt(square) / n.correction2 + n.eps);
}

TEST(WeightUpdate, IsTheFormulaOfAdamAndAdamW) {
  for (const bool decoupled : {false, true}) {
    const AdamNumbers n{.divisor = 2,
                        .rate = 0.1,
                        .beta1 = 0.9,
                        .beta2 = 0.999,
                        .eps = 1e-3,
                        .weight_decay = 0.01,
                        .correction1 = 0.19,
                        .correction2 = 0.447,
                        .decoupled = decoupled};
    expect_updated([&](const WeightUpdateKernels& kernels,
                       const WeightTensor& t) { kernels.adam(t, n, kFirst, kLast); },
                   [&](const Weights& w, std::size_t i) { return adam_of(w, i, n); });
  }
}

TEST(WeightUpdate, NeedsNoCopy) {
  Weights with, without;
  const SgdNumbers n{.rate = 0.1, .momentum = 0.9};
  WeightTensor bare = without.pointers(false);
  bare.copy = nullptr;
  weight_update_kernels(widest()).sgd(with.pointers(false), n, 0, kElements);
  weight_update_kernels(widest()).sgd(bare, n, 0, kElements);
  EXPECT_EQ(with.parameter, without.parameter);
  EXPECT_EQ(without.copy[7].bits, 0);
}

}  // namespace
}  // namespace scalemark::kernels
