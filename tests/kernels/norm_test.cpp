// The passes of kernels/norm for each instruction set of this machine, against ATen in float64.
#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/instruction_set.h"
#include "kernels/norm/norm_kernels.h"
#include "tests/kernels/norm_oracle.h"
#include "workloads/layers/norm_passes.h"

namespace scalemark::workloads {
namespace {

// ResNet-50's at 224 px (batch 1), then odd ones.
const std::vector<Shape> kShapes = {{1, 64, 112},  {1, 64, 56},  {1, 256, 56}, {1, 128, 56},
                                    {1, 128, 28},  {1, 512, 28}, {1, 256, 28}, {1, 256, 14},
                                    {1, 1024, 14}, {1, 512, 14}, {1, 512, 7},  {1, 2048, 7},
                                    {3, 1, 5},     {2, 3, 9},    {2, 7, 3},    {5, 17, 7},
                                    {1, 33, 30},   {2, 100, 6},  {4, 513, 1}};

std::vector<kernels::InstructionSet> usable_sets() {
  std::vector<kernels::InstructionSet> usable;
  for (const auto set : {kernels::InstructionSet::kPortable, kernels::InstructionSet::kAvx2,
                         kernels::InstructionSet::kAvx512}) {
    if (kernels::runs(set)) usable.push_back(set);
  }
  return usable;
}

// Both gradients of y come in; without a shortcut the first only.
Results ours(const Inputs& in, const Tail& tail, at::ScalarType type, kernels::InstructionSet set) {
  const auto parameters = type_of_parameters(type);
  const auto as = [&](const at::Tensor& tensor) { return tensor.to(type).contiguous(kLayout); };
  Results out;
  out.mean = at::zeros(in.weight.sizes(), parameters);
  out.variance = at::ones(in.weight.sizes(), parameters);
  const NormForward forward{.x = as(in.x),
                            .weight = in.weight.to(parameters),
                            .bias = in.bias.to(parameters),
                            .shortcut = tail.shortcut ? as(in.shortcut) : at::Tensor(),
                            .gain = tail.gain,
                            .relu = tail.relu};
  NormBackward backward{.of_y = as(in.of_y).clone()};
  backward.statistics = norm_statistics(forward.x, kEps, {out.mean, out.variance, 0.1}, set);
  if (tail.shortcut) {
    backward.positive =
        at::empty({forward.x.numel() / forward.x.size(1), kernels::mask_stride(forward.x.size(1))},
                  at::kByte);
    backward.of_y_too = as(in.of_y_too).clone();
    backward.of_sum = backward.of_y_too;  // backward works in place, too
  }
  out.y = norm_forward(forward, backward.statistics, backward.positive, set);
  backward.of_x = backward.of_y;
  const auto of_parameters = norm_backward(forward, backward, set);
  out.of_x = backward.of_x;
  out.of_shortcut = backward.of_sum;
  out.of_weight = of_parameters.weight;
  out.of_bias = of_parameters.bias;
  return out;
}

std::string text(const Shape& shape, const Tail& tail, kernels::InstructionSet set) {
  return std::string(name_of(set)) + " " + text(shape, tail);
}

template <class Body>
void for_all(const Body& body) {
  at::set_num_threads(2);
  at::manual_seed(4);
  for (const Shape& shape : kShapes) {
    const Inputs in(shape);
    const bool is_large = shape.batch * shape.channels * shape.size * shape.size > 300'000;
    for (const Tail& tail : kTails) {
      if (!is_large || tail.gain != 1) body(shape, in, tail);
    }
  }
}

TEST(Norm, InFloat64EqualsATen) {
  for_all([](const Shape& shape, const Inputs& in, const Tail& tail) {
    const auto set = kernels::InstructionSet::kPortable;
    const auto expected = oracle(in, tail, at::kDouble).all();
    const auto found = ours(in, tail, at::kDouble, set).all();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!expected[i].second.defined()) continue;
      EXPECT_LE(distance(found[i].second, expected[i].second), 1e-12)
          << expected[i].first << " " << text(shape, tail, set);
    }
  });
}

// In float32 and bf16; `slack`: what is as good as ATen's.
void expect_as_near_as_aten(at::ScalarType type, double allowed, double slack) {
  for_all([&](const Shape& shape, const Inputs& in, const Tail& tail) {
    const auto exact = oracle(in, tail, at::kDouble).all(), plain = oracle(in, tail, type).all();
    for (const kernels::InstructionSet set : usable_sets()) {
      const auto found = ours(in, tail, type, set).all();
      for (std::size_t i = 0; i < exact.size(); ++i) {
        if (!exact[i].second.defined()) continue;
        const double off = distance(found[i].second, exact[i].second);
        const std::string what = exact[i].first + " " + text(shape, tail, set);
        EXPECT_LE(off, allowed) << what;
        EXPECT_LE(off, 1.1 * distance(plain[i].second, exact[i].second) + slack) << what;
      }
    }
  });
}

TEST(Norm, InFloat32IsAsNearToFloat64AsATen) { expect_as_near_as_aten(at::kFloat, 5e-6, 5e-7); }

TEST(Norm, InBf16IsAsNearToFloat64AsATen) { expect_as_near_as_aten(at::kBFloat16, 5e-3, 5e-7); }

TEST(Norm, Avx2AndAvx512ComputeTheSameBits) {
  if (kernels::widest() != kernels::InstructionSet::kAvx512) GTEST_SKIP() << "no AVX-512 here";
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    for_all([&](const Shape& shape, const Inputs& in, const Tail& tail) {
      const auto a = ours(in, tail, type, kernels::InstructionSet::kAvx2).all();
      const auto b = ours(in, tail, type, kernels::InstructionSet::kAvx512).all();
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!a[i].second.defined()) continue;
        EXPECT_TRUE(at::equal(a[i].second, b[i].second))
            << a[i].first << " " << text(shape, tail, kernels::InstructionSet::kAvx512);
      }
    });
  }
}

TEST(Norm, RepeatsBitByBitAtAnyNumberOfThreads) {
  at::manual_seed(5);
  const Inputs in({2, 64, 56});
  const Tail tail = kTails.back();
  at::set_num_threads(1);
  const auto one = ours(in, tail, at::kFloat, kernels::widest()).all();
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    const auto again = ours(in, tail, at::kFloat, kernels::widest()).all();
    for (std::size_t i = 0; i < one.size(); ++i) {
      EXPECT_TRUE(at::equal(one[i].second, again[i].second)) << one[i].first << ", " << threads;
    }
  }
}

TEST(Norm, AMeanFarFromZeroCostsTheVarianceNoDigits) {
  at::manual_seed(6);
  const at::Tensor x = (at::randn({4, 20, 14, 14}) + 1e4).contiguous(kLayout);
  const at::Tensor exact = x.to(at::kDouble);
  const auto found = norm_statistics(x, 0, {}, kernels::widest());
  const auto variance = exact.var({0, 2, 3}, /*unbiased=*/false);
  EXPECT_TRUE(at::allclose(found.select(0, 0), exact.mean({0, 2, 3}), 1e-9));
  EXPECT_TRUE(at::allclose(found.select(0, 1), variance.rsqrt(), 1e-5));
}

TEST(Norm, OneValuePerChannelIsTreatedAsATenDoes) {
  const Inputs in({1, 19, 1});
  // The variance is 0: x less its mean is scaled by 1 / sqrt(eps), with its rounding.
  for (const auto& [type, allowed] : {std::pair{at::kDouble, 1e-12}, {at::kFloat, 1e-4}}) {
    const auto found = ours(in, kTails[1], type, kernels::widest());
    const auto expected = oracle(in, kTails[1], type);
    EXPECT_TRUE(at::allclose(found.y, expected.y, allowed, allowed));
    EXPECT_TRUE(at::allclose(found.variance, expected.variance, 1e-5, 1e-8, /*equal_nan=*/true));
  }
}

TEST(Norm, NaNAndInfinityAreNotHidden) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const auto type : {at::kFloat, at::kBFloat16}) {
      for (const kernels::InstructionSet set : usable_sets()) {
        Inputs in({2, 21, 4});
        in.x[1][2][0][0] = bad;
        in.x[1][20][0][0] = bad;
        const auto y = ours(in, kTails[2], type, set).y;
        EXPECT_TRUE(y.select(1, 2).isnan().all().item<bool>()) << name_of(set) << y.select(1, 2);
        EXPECT_TRUE(y.select(1, 20).isnan().all().item<bool>()) << name_of(set);
        EXPECT_TRUE(y.select(1, 3).isfinite().all().item<bool>()) << name_of(set);
      }
    }
  }
}

}  // namespace
}  // namespace scalemark::workloads
