// The vector code against ATen in float64, for each instruction set, at widths with and without
// whole vectors.
#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/gelu_backward.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/native_layer_norm.h>
#include <ATen/ops/native_layer_norm_backward.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/special_ndtr.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "kernels/transformer_kernels.h"

namespace scalemark::kernels {
namespace {

constexpr std::int64_t kRows = 37;

enum class Kind { kFloat, kBFloat16, kDouble };

using Case = std::tuple<InstructionSet, Kind, std::int64_t>;

template <class X, class C>
struct Types {
  using Activation = X;
  using Parameter = C;
};

struct Bounds {  // largest relative L2 errors against float64
  double activation, parameter;
};

double relative_error(const at::Tensor& ours, const at::Tensor& exact) {
  return ((ours.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

template <class T>
T* memory(const at::Tensor& tensor) {
  return static_cast<T*>(tensor.mutable_data_ptr());
}

at::Tensor wide(const at::Tensor& tensor) { return tensor.to(at::kDouble); }

class RowKernels : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!runs(set())) GTEST_SKIP() << "this machine has no " << name_of(set());
    at::manual_seed(11);
  }

  static InstructionSet set() { return std::get<0>(GetParam()); }
  static Kind kind() { return std::get<1>(GetParam()); }
  static std::int64_t columns() { return std::get<2>(GetParam()); }

  static at::ScalarType activation() {
    return kind() == Kind::kFloat    ? at::kFloat
           : kind() == Kind::kDouble ? at::kDouble
                                     : at::kBFloat16;
  }
  static at::ScalarType parameter() { return kind() == Kind::kDouble ? at::kDouble : at::kFloat; }
  static Bounds bounds() {
    if (kind() == Kind::kDouble) return {1e-14, 1e-14};
    return {kind() == Kind::kFloat ? 4e-7 : 2.5e-3, 8e-7};
  }

  static at::Tensor values(at::ScalarType type) { return at::randn({kRows, columns()}).to(type); }
  static at::Tensor vector() { return at::randn({columns()}).to(parameter()); }
  static at::Tensor words() { return at::zeros({kRows, mask_words(columns())}, at::kInt); }
  static Dropout dropout() { return dropout_of(0.3, 12345); }

  template <class Body>
  static void with_kernels(const Body& body) {
    const TransformerKernels& all = transformer_kernels(set());
    if (kind() == Kind::kFloat) return body(all.of_float, Types<float, float>{});
    if (kind() == Kind::kDouble) return body(all.of_double, Types<double, double>{});
    body(all.of_bfloat16, Types<BFloat16, float>{});
  }

  // Returns the factor of each element, read from its bit.
  static at::Tensor factors(const at::Tensor& bits, double scale) {
    auto result = at::zeros({kRows, columns()}, at::kDouble);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const auto* words_of_row = memory<std::uint32_t>(bits) + row * mask_words(columns());
      for (std::int64_t c = 0; c < columns(); ++c) {
        if (words_of_row[c / 32] >> (c % 32) & 1)
          memory<double>(result)[row * columns() + c] = scale;
      }
    }
    return result;
  }

  static void expect_close(const char* what, const at::Tensor& ours, const at::Tensor& exact,
                           double bound) {
    EXPECT_LE(relative_error(ours, exact), bound) << what;
  }
};

std::string name_of_case(const ::testing::TestParamInfo<Case>& info) {
  const auto& [set, kind, columns] = info.param;
  const char* const types[] = {"float", "bfloat16", "double"};
  return std::string(name_of(set)) + "_" + types[static_cast<int>(kind)] + "_" +
         std::to_string(columns);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, RowKernels,
    ::testing::Combine(::testing::Values(InstructionSet::kPortable, InstructionSet::kAvx2,
                                         InstructionSet::kAvx512),
                       ::testing::Values(Kind::kFloat, Kind::kBFloat16, Kind::kDouble),
                       ::testing::Values(5, 16, 48, 131, 256, 768)),
    name_of_case);

struct Norm {
  at::Tensor x, bias, residual, gamma, beta, sum, y, mean, rstd, bits;
};

TEST_P(RowKernels, ResidualNormEqualsATensInFloat64) {
  for (const bool dropping : {true, false}) {
    const Dropout rate = dropping ? dropout() : Dropout{};
    Norm n{values(activation()),
           vector(),
           values(parameter()),
           vector(),
           vector(),
           values(parameter()),
           values(parameter()),
           values(parameter()),
           values(parameter()),
           words()};
    const auto of_y = values(parameter());
    auto of_x = values(activation()), of_residual = values(parameter());
    const auto of_parameters = at::zeros({3, columns()}, parameter());
    with_kernels([&](const auto& kernels, auto types) {
      using X = typename decltype(types)::Activation;
      using C = typename decltype(types)::Parameter;
      kernels.residual_norm(
          {memory<X>(n.x), memory<C>(n.bias), memory<C>(n.residual), memory<C>(n.gamma),
           memory<C>(n.beta), memory<C>(n.sum), memory<C>(n.y), memory<C>(n.mean),
           memory<C>(n.rstd), memory<std::uint32_t>(n.bits), columns(), 1e-12, rate},
          0, kRows);
      kernels.residual_norm_gradient(
          {memory<C>(of_y), memory<C>(n.sum), memory<C>(n.mean), memory<C>(n.rstd),
           memory<C>(n.gamma), dropping ? memory<std::uint32_t>(n.bits) : nullptr, columns(),
           rate.scale, memory<X>(of_x), memory<C>(of_residual)},
          memory<C>(of_parameters), 0, kRows);
    });
    const auto kept = dropping ? factors(n.bits, rate.scale) : at::zeros({1}, at::kDouble) + 1;
    const auto sum = (wide(n.x) + wide(n.bias)) * kept + wide(n.residual);
    const auto [y, mean, rstd] =
        at::native_layer_norm(sum, {columns()}, wide(n.gamma), wide(n.beta), 1e-12);
    const auto [of_sum, of_gamma, of_beta] = at::native_layer_norm_backward(
        wide(of_y), sum, {columns()}, mean, rstd, wide(n.gamma), wide(n.beta), {true, true, true});
    const double precise = bounds().parameter;
    expect_close("y", n.y, y, precise);
    expect_close("residual", of_residual, of_sum, 4 * precise);
    expect_close("x", of_x, of_sum * kept, std::max(bounds().activation, 4 * precise));
    expect_close("bias", of_parameters[0], (of_sum * kept).sum(0), 8 * precise);
    expect_close("gamma", of_parameters[1], of_gamma, 4 * precise);
    expect_close("beta", of_parameters[2], of_beta, precise);
  }
}

TEST_P(RowKernels, BiasGeluEqualsATensInFloat64) {
  const auto x = values(activation()), bias = vector(), of_y = values(activation());
  auto y = values(activation()), of_x = values(activation());
  const auto of_bias = at::zeros({columns()}, parameter());
  with_kernels([&](const auto& kernels, auto types) {
    using X = typename decltype(types)::Activation;
    using C = typename decltype(types)::Parameter;
    kernels.bias_gelu({memory<X>(x), memory<C>(bias), memory<X>(y), columns()}, 0, kRows);
    kernels.bias_gelu_gradient(
        {memory<X>(of_y), memory<X>(x), memory<C>(bias), memory<X>(of_x), columns()},
        memory<C>(of_bias), 0, kRows);
  });
  const auto sum = wide(x) + wide(bias);
  const auto exact = at::gelu_backward(wide(of_y), sum);
  expect_close("y", y, at::gelu(sum), bounds().activation);
  expect_close("x", of_x, exact, bounds().activation);
  expect_close("bias", of_bias, exact.sum(0), 4 * bounds().parameter);
}

TEST_P(RowKernels, SoftmaxWithDropoutEqualsATensInFloat64) {
  const auto scores = values(activation()), of_kept = values(activation());
  auto probabilities = scores.clone(), kept = values(activation()), gradient = of_kept.clone();
  auto again = values(activation());
  const auto bits = words(), added = vector();
  added.select(0, 0).fill_(-INFINITY);  // a key that is padding
  const auto scratch = vector();
  const Dropout rate = dropout();
  with_kernels([&](const auto& kernels, auto types) {
    using X = typename decltype(types)::Activation;
    using C = typename decltype(types)::Parameter;
    kernels.softmax_dropout(
        {memory<X>(probabilities), memory<X>(kept), memory<C>(added), memory<C>(scratch),
         memory<std::uint32_t>(bits), 5, columns(), 0.125, rate},
        0, kRows);
    kernels.softmax_dropout_gradient(
        {memory<X>(probabilities), memory<X>(gradient), memory<X>(again),
         memory<std::uint32_t>(bits), columns(), 0.125, rate.scale},
        0, kRows);
  });
  const auto mask = factors(bits, rate.scale);
  const auto p = at::softmax(wide(scores) * 0.125 + wide(added), 1);
  expect_close("probabilities", probabilities, p, bounds().activation);
  expect_close("kept", kept, p * mask, bounds().activation);
  EXPECT_TRUE(again.equal(kept) || activation() == at::kBFloat16);
  expect_close("kept again", again, p * mask, 2 * bounds().activation);
  const auto of_p = wide(of_kept) * mask;
  const auto exact = p * (of_p - (of_p * p).sum(1, true)) * 0.125;
  expect_close("scores", gradient, exact, 4 * bounds().activation);
}

// Over the whole range, element by element: y = x P(x) with bias 0.
TEST_P(RowKernels, GeluIsAccurateElementByElement) {
  if (kind() != Kind::kFloat || columns() != 768) return;
  const auto x = at::linspace(-12, 12, 768 * 400, at::kFloat).view({400, 768});
  const auto bias = at::zeros({768});
  auto y = at::empty_like(x);
  with_kernels([&](const auto& kernels, auto types) {
    using X = typename decltype(types)::Activation;
    using C = typename decltype(types)::Parameter;
    kernels.bias_gelu({memory<X>(x), memory<C>(bias), memory<X>(y), 768}, 0, 400);
  });
  const auto exact = wide(x) * at::special_ndtr(wide(x));
  const auto error = ((wide(y) - exact) / exact).abs();
  EXPECT_LE(error.masked_select(x.gt(0)).max().item<double>(), 1.8e-7);
  EXPECT_LE(error.masked_select(x.gt(-5)).max().item<double>(), 1.1e-6);
  EXPECT_LE((wide(y) - exact).abs().masked_select(x.lt(0)).max().item<double>(), 1.2e-7);
}

TEST_P(RowKernels, WhatIsNoNumberStaysSo) {
  auto x = values(activation());
  x.select(1, columns() - 1).fill_(NAN);
  x.select(1, 0).fill_(NAN);
  auto y = values(activation());
  const auto bias = vector();
  with_kernels([&](const auto& kernels, auto types) {
    using X = typename decltype(types)::Activation;
    using C = typename decltype(types)::Parameter;
    kernels.bias_gelu({memory<X>(x), memory<C>(bias), memory<X>(y), columns()}, 0, kRows);
  });
  EXPECT_TRUE(y.select(1, 0).isnan().all().item<bool>());
  EXPECT_TRUE(y.select(1, columns() - 1).isnan().all().item<bool>());
}

}  // namespace
}  // namespace scalemark::kernels
