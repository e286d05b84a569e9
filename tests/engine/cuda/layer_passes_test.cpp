// The CUDA kernels of transformers, compiled as C++, against ATen in float64 on the same (rounded)
// inputs: values and gradients in every type, odd sizes, single rows.
#include <ATen/TensorOperators.h>
#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/dropout.h"
#include "shim_runtime.h"

namespace scalemark::cuda {
namespace {

constexpr at::ScalarType kTypes[] = {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16};

// Returns the largest relative error of one rounding to the type.
double rounding(at::ScalarType type) {
  switch (type) {
    case at::kDouble:
      return 0x1p-53;
    case at::kFloat:
      return 0x1p-24;
    case at::kHalf:
      return 0x1p-11;
    default:
      return 0x1p-9;
  }
}

// Up to `roundings` of a value, and of the largest of what it is a sum of: `terms`. Where they are
// not given, they are of the size of the values.
void expect_near(const at::Tensor& found, const at::Tensor& exact, double roundings,
                 const std::string& what, const at::Tensor& terms = {}) {
  const at::Tensor others = terms.defined() ? terms : exact.abs().max() * 0.1 + 1e-3;
  const auto bound = roundings * rounding(found.scalar_type()) * (exact.abs() + others);
  const auto error = (found.to(at::kDouble) - exact).abs();
  EXPECT_TRUE(error.le(bound).all().item<bool>())
      << what << ": " << (error / bound).max().item<double>() << " of the bound, "
      << found.toString();
}

at::Tensor activation(at::IntArrayRef sizes, at::ScalarType type) {
  return at::randn(sizes, at::kDouble).to(type);
}

at::Tensor parameter(std::int64_t columns, at::ScalarType type) {
  return at::randn({columns}, at::kDouble).to(ShimPasses::computed_in(type));
}

// The factor of each element by the mask's bits.
at::Tensor factors_of(const at::Tensor& mask, const at::Tensor& like, double probability) {
  if (!mask.defined()) return at::ones(like.sizes(), at::kDouble);
  const auto bits = at::arange(8, at::kByte);
  const auto kept = mask.unsqueeze(-1).bitwise_right_shift(bits).bitwise_and(1);
  const auto columns = like.size(-1);
  return kept.view({mask.size(0), -1})
      .narrow(1, 0, columns)
      .to(at::kDouble)
      .mul(kernels::dropout_of(probability, 0).scale);
}

struct NormCase {
  std::int64_t rows, columns;
  double dropout;
  at::ScalarType type;
};

std::string name_of(const NormCase& c) {
  return std::to_string(c.rows) + " x " + std::to_string(c.columns) + ", dropout " +
         std::to_string(c.dropout) + ", " + at::toString(c.type);
}

void check_norm(const NormCase& c) {
  at::manual_seed(3);
  const auto x = activation({c.rows, c.columns}, c.type),
             residual = activation({c.rows, c.columns}, c.type),
             of_y = activation({c.rows, c.columns}, c.type),
             of_y_too = activation({c.rows, c.columns}, c.type);
  const auto bias = parameter(c.columns, c.type), gamma = parameter(c.columns, c.type),
             beta = parameter(c.columns, c.type);
  constexpr double kEps = 1e-5;
  const auto [y, sum, statistics, mask] =
      ShimPasses::residual_norm(x, bias, residual, gamma, beta, kEps, c.dropout);
  const auto factors = factors_of(mask, x, c.dropout);
  const auto exact = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
  const auto exact_sum = (exact(x) + exact(bias)) * factors + exact(residual);
  const auto [exact_y, mean, rstd] =
      at::native_layer_norm(exact_sum, {c.columns}, exact(gamma), exact(beta), kEps);
  const std::string name = name_of(c);
  const auto in_sum = (exact(x).abs() + exact(bias).abs()) * factors + exact(residual).abs();
  const auto in_normalised = in_sum.amax(-1, true) * rstd;
  expect_near(sum, exact_sum, 4, "sum " + name, in_sum);
  expect_near(y, exact_y, 12, "y " + name, in_normalised * exact(gamma).abs() + exact(beta).abs());
  EXPECT_EQ(statistics.sizes(), (std::vector<std::int64_t>{2, c.rows}));

  for (const bool forked : {false, true}) {
    const auto [of_x, of_residual, of_parameters] = ShimPasses::residual_norm_gradient(
        of_y, forked ? std::optional<at::Tensor>(of_y_too) : std::nullopt, sum, statistics,
        mask.defined() ? std::optional<at::Tensor>(mask) : std::nullopt, gamma, c.dropout);
    const auto of_both = forked ? exact(of_y) + exact(of_y_too) : exact(of_y);
    // Backward sees the rounded sum, and the statistics of the unrounded one.
    const auto [of_sum, of_gamma, of_beta] =
        at::native_layer_norm_backward(of_both, exact(sum), {c.columns}, mean, rstd, exact(gamma),
                                       exact(beta), {true, true, true});
    const auto in_gradient =
        (of_both * exact(gamma)).abs().amax(-1, true) * rstd * (1 + in_normalised);
    const auto in_of_sum = in_gradient.expand_as(of_both);
    expect_near(of_residual, of_sum, 16, "of_residual " + name, in_of_sum);
    expect_near(of_x, of_sum * factors, 16, "of_x " + name, in_of_sum * factors);
    EXPECT_EQ(of_x.is_same(of_residual), !mask.defined());
    // Sums in float over rows, of values that are not rounded before.
    const auto rows = 16.0 + 2 * std::sqrt(static_cast<double>(c.rows));
    expect_near(of_parameters[0], (of_sum * factors).sum(0), rows, "of_bias " + name,
                (in_of_sum * factors).sum(0));
    expect_near(of_parameters[1], of_gamma, rows, "of_gamma " + name,
                (of_both.abs() * in_normalised).sum(0));
    expect_near(of_parameters[2], of_beta, rows, "of_beta " + name, of_both.abs().sum(0));
  }
}

TEST(ResidualNormOnCuda, EqualsAtenWhereThreadsReallyRunAtOnce) {
  for (const at::ScalarType type : {at::kFloat, at::kBFloat16}) check_norm({6, 129, 0.1, type});
}

TEST(ResidualNormOnCuda, EqualsAtenWithinItsRounding) {
  const cuda_shim::OnFibres fibres;
  for (const at::ScalarType type : kTypes) {
    for (const std::int64_t columns : {3, 7, 64, 129, 256, 768, 1000, 1024}) {
      for (const double dropout : {0.0, 0.1}) check_norm({5, columns, dropout, type});
    }
    check_norm({1, 768, 0.1, type});
    check_norm({45, 256, 0.1, type});  // more rows than warps: they go round
  }
}

TEST(ResidualNormOnCuda, RefusesRowsThatDoNotFit) {
  const auto x = at::randn({2, 1025});
  const auto parameters = at::ones({1025});
  EXPECT_THROW(ShimPasses::residual_norm(x, parameters, x, parameters, parameters, 1e-5, 0),
               c10::Error);
}

TEST(ResidualNormOnCuda, TakesNoRows) {
  const auto x = at::randn({0, 64}), parameters = at::ones({64});
  const auto [y, sum, statistics, mask] =
      ShimPasses::residual_norm(x, parameters, x, parameters, parameters, 1e-5, 0.1);
  EXPECT_EQ(y.numel(), 0);
  const auto [of_x, of_residual, of_parameters] =
      ShimPasses::residual_norm_gradient(x, std::nullopt, sum, statistics, mask, parameters, 0.1);
  EXPECT_TRUE(of_parameters.eq(0).all().item<bool>());
}

// Rows whose addresses do not allow 16-byte loads.
TEST(ResidualNormOnCuda, TakesTensorsAtAnyAddress) {
  at::manual_seed(8);
  const auto memory = at::randn({5 * 64 + 1});
  const auto odd = memory.narrow(0, 1, 5 * 64).view({5, 64}), even = odd.clone();
  const auto parameters = at::randn({64});
  const auto of = [&](const at::Tensor& x) {
    return std::get<0>(
        ShimPasses::residual_norm(x, parameters, x, parameters, parameters, 1e-5, 0));
  };
  EXPECT_TRUE(of(odd).allclose(of(even), 1e-6, 1e-6));
}

// Torch's own implementation of the generator, in the counters that cuRAND would use.
TEST(DropoutMask, IsTorchsGeneratorAtTheMasksOffset) {
  constexpr std::int64_t kRows = 7, kColumns = 20, kGroups = 3;
  constexpr double kProbability = 0.3;
  ShimRuntime::seed = 0x123456789abcdef;
  ShimRuntime::offset = 12;
  const auto x = at::randn({kRows, kColumns}), parameters = at::ones({kColumns});
  const auto mask = std::get<3>(
      ShimPasses::residual_norm(x, parameters, x, parameters, parameters, 1e-5, kProbability));
  EXPECT_EQ(ShimRuntime::offset, 16u);
  ASSERT_EQ(mask.sizes(), (std::vector<std::int64_t>{kRows, kGroups}));
  const std::uint32_t threshold = kernels::dropout_of(kProbability, 0).threshold;
  for (std::int64_t group = 0; group < kRows * kGroups; ++group) {
    at::Philox4_32 torchs(ShimRuntime::seed, static_cast<std::uint64_t>(group), 12 / 4);
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; i += 2) {
      const std::uint32_t word = torchs();
      bits |= static_cast<unsigned>((word & 0xffff) >= threshold) << i;
      bits |= static_cast<unsigned>(word >> 16 >= threshold) << (i + 1);
    }
    EXPECT_EQ(mask.view({-1})[group].item<int>(), static_cast<int>(bits)) << group;
  }
}

TEST(DropoutMask, DropsTheShareToTwoToTheMinus16) {
  ShimRuntime::seed = 5;
  const auto x = at::ones({400, 1024}), zeros = at::ones({1024}) * 0;
  for (const double probability : {0.1, 0.5}) {
    const auto mask =
        std::get<3>(ShimPasses::residual_norm(x, zeros, x, zeros, zeros, 1e-5, probability));
    const double kept =
        factors_of(mask, x, probability).gt(0).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(kept, 1 - probability, 5 * std::sqrt(0.25 / 409600));
  }
}

TEST(DropoutMask, OfAGraphReadsSeedAndOffsetWhereTheReplayPutsThem) {
  const std::int64_t seed = 77, offset = 40;
  const RandomSource captured{&seed, &offset, 0, 8}, now = resolved(captured);
  EXPECT_EQ(now.seed, 77u);
  EXPECT_EQ(now.offset, 48u);
  const RandomSource eager = resolved({nullptr, nullptr, 77, 48});
  for (std::uint64_t group = 0; group < 50; ++group) {
    EXPECT_EQ(draw_group(now, 30000, group), draw_group(eager, 30000, group));
  }
}

void check_gelu(std::int64_t rows, std::int64_t columns, at::ScalarType type) {
  at::manual_seed(4);
  const auto x = activation({rows, columns}, type) * 3, of_y = activation({rows, columns}, type);
  const auto bias = parameter(columns, type);
  const auto h = x.to(at::kDouble) + bias.to(at::kDouble);
  const std::string name = std::to_string(rows) + " x " + std::to_string(columns);
  expect_near(ShimPasses::bias_gelu(x, bias), at::gelu(h), 8, "gelu " + name);
  const auto [of_x, of_bias] = ShimPasses::bias_gelu_gradient(of_y, x, bias);
  const auto exact = at::gelu_backward(of_y.to(at::kDouble), h);
  expect_near(of_x, exact, 8, "of_x " + name);
  expect_near(of_bias, exact.sum(0), 16 + 2 * std::sqrt(static_cast<double>(rows)),
              "of_bias " + name);
}

TEST(BiasGeluOnCuda, EqualsAtenWithinItsRounding) {
  const cuda_shim::OnFibres fibres;
  for (const at::ScalarType type : kTypes) {
    for (const std::int64_t columns : {1, 9, 64, 255, 264, 3072}) check_gelu(5, columns, type);
    check_gelu(1, 64, type);
    check_gelu(70, 520, type);
  }
}

TEST(Projections, LieBelowEachOther) {
  for (const at::ScalarType type : kTypes) {
    for (const std::int64_t features : {3, 8, 65, 96}) {
      at::manual_seed(5);
      std::vector<at::Tensor> weights, biases;
      for (int i = 0; i < 3; ++i) {
        weights.push_back(at::randn({features, features}).to(ShimPasses::computed_in(type)));
        biases.push_back(parameter(features, type));
      }
      const auto [weight, bias] = ShimPasses::pack_projections(weights, biases, type);
      EXPECT_TRUE(at::equal(weight, at::cat(weights).to(type))) << features;
      EXPECT_TRUE(at::equal(bias, at::cat(biases).to(type))) << features;
    }
  }
}

TEST(Projections, GradientsLieBesideEachOtherWithTheirSums) {
  for (const at::ScalarType type : kTypes) {
    for (const std::int64_t features : {3, 8, 65, 96, 256}) {
      for (const std::int64_t rows : {1, 37}) {
        at::manual_seed(6);
        std::vector<at::Tensor> gradients;
        for (int i = 0; i < 3; ++i) gradients.push_back(activation({rows, features}, type));
        const auto [packed, sums] = ShimPasses::pack_gradients(gradients);
        const auto expected = at::cat(gradients, 1);
        EXPECT_TRUE(at::equal(packed, expected)) << features;
        expect_near(sums, expected.to(at::kDouble).sum(0), 16, "sums");
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::cuda
