#include <ATen/autocast_mode.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sum.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "workloads/layers/layers.h"

namespace scalemark::workloads {
namespace {

constexpr auto kChannelsLast = at::MemoryFormat::ChannelsLast;

struct ConvolutionCase {
  std::int64_t batch, in, out, size, kernel, stride;
};

// Each kind of ResNet-50's, then odd sizes, one image, and strides that leave pixels over.
constexpr std::array kConvolutions{
    ConvolutionCase{2, 64, 256, 14, 1, 1}, ConvolutionCase{2, 256, 512, 14, 1, 2},
    ConvolutionCase{2, 512, 512, 7, 3, 1}, ConvolutionCase{2, 256, 256, 14, 3, 2},
    ConvolutionCase{1, 65, 67, 9, 1, 1},   ConvolutionCase{1, 3, 5, 7, 3, 2},
    ConvolutionCase{3, 17, 33, 5, 3, 1},   ConvolutionCase{2, 64, 65, 8, 1, 2},
    ConvolutionCase{1, 7, 64, 1, 1, 1},    ConvolutionCase{2, 3, 8, 16, 7, 2},
};

std::string name_of(const ConvolutionCase& c) {
  return std::to_string(c.in) + " -> " + std::to_string(c.out) + ", k " + std::to_string(c.kernel);
}

ConvolutionSteps steps_of(const ConvolutionCase& c) {
  return {.stride = c.stride, .padding = c.kernel / 2};
}

struct Operands {
  at::Tensor x, weight, of_y;
};

Operands operands_of(const ConvolutionCase& c, at::ScalarType type) {
  at::manual_seed(7);
  // contiguous() would keep the strides of 1x1 filters.
  const auto of = [&](at::IntArrayRef sizes) {
    return at::empty(sizes, type, kChannelsLast).copy_(at::randn(sizes, at::kDouble));
  };
  const at::Tensor x = of({c.batch, c.in, c.size, c.size});
  const at::Tensor weight = of({c.out, c.in, c.kernel, c.kernel});
  const auto like = at::conv2d(x, weight, {}, c.stride, c.kernel / 2);
  return {x, weight, of(like.sizes())};
}

at::Tensor gradient_of_aten(const ConvolutionCase& c, const Operands& t) {
  const auto [stride, padding] = steps_of(c);
  return std::get<1>(at::convolution_backward(t.of_y, t.x, t.weight, {}, {stride, stride},
                                              {padding, padding}, {1, 1}, false, {0, 0}, 1,
                                              std::array<bool, 3>{false, true, false}));
}

double relative_distance(const at::Tensor& a, const at::Tensor& reference) {
  return ((a.to(at::kDouble) - reference).norm() / reference.norm()).item<double>();
}

TEST(WeightGradient, EqualsATenInFloat64) {
  for (const ConvolutionCase& c : kConvolutions) {
    const Operands t = operands_of(c, at::kDouble);
    const at::Tensor own = weight_gradient(t.of_y, t.x, c.kernel, steps_of(c));
    EXPECT_EQ(own.sizes(), t.weight.sizes()) << name_of(c);
    EXPECT_TRUE(own.is_contiguous(kChannelsLast)) << name_of(c);
    EXPECT_LT(relative_distance(own, gradient_of_aten(c, t)), 1e-13) << name_of(c);
  }
}

TEST(WeightGradient, InBf16IsAsNearToFloat64AsATen) {
  for (const ConvolutionCase& c : kConvolutions) {
    const Operands t = operands_of(c, at::kBFloat16);
    const auto precise = [](const at::Tensor& tensor) { return tensor.to(at::kDouble); };
    const at::Tensor reference =
        gradient_of_aten(c, {precise(t.x), precise(t.weight), precise(t.of_y)});
    const double own =
        relative_distance(weight_gradient(t.of_y, t.x, c.kernel, steps_of(c)), reference);
    EXPECT_LE(own, 1.02 * relative_distance(gradient_of_aten(c, t), reference)) << name_of(c);
  }
}

class AutocastTo {
 public:
  explicit AutocastTo(at::ScalarType type) {
    at::autocast::set_autocast_dtype(at::kCPU, type);
    at::autocast::set_autocast_enabled(at::kCPU, true);
  }
  ~AutocastTo() {
    at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(at::kCPU, false);
    at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  }
};

TEST(Bf16Convolution, GivesATensValuesAndGradientsOfItsInput) {
  for (const ConvolutionCase& c : kConvolutions) {
    const Operands t = operands_of(c, at::kFloat);
    const auto run = [&](bool own) {
      at::Tensor x = t.x.to(at::kBFloat16).requires_grad_();
      at::Tensor weight = t.weight.clone().requires_grad_();
      at::Tensor y;
      {
        const AutocastTo autocast(at::kBFloat16);
        y = own ? bf16_convolution(x, weight, steps_of(c))
                : at::conv2d(x, weight, {}, c.stride, c.kernel / 2);
      }
      y.backward(t.of_y.to(at::kBFloat16));
      return std::array{y.detach(), x.grad(), weight.grad()};
    };
    const auto own = run(true), plain = run(false);
    EXPECT_TRUE(at::equal(own[0], plain[0])) << name_of(c);
    EXPECT_TRUE(at::equal(own[1], plain[1])) << name_of(c);
    EXPECT_EQ(own[2].scalar_type(), at::kFloat);
    EXPECT_EQ(own[2].strides(), t.weight.strides()) << "else the reducer copies it";
    EXPECT_LT(relative_distance(own[2], plain[2].to(at::kDouble)), 4e-3) << name_of(c);
  }
}

TEST(Bf16Convolution, IsForBf16AutocastWhereItIsFaster) {
  const ConvolutionCase c{2, 64, 256, 14, 1, 1};
  const Operands t = operands_of(c, at::kFloat);
  const at::Tensor x = t.x.to(at::kBFloat16);
  at::Tensor weight = t.weight.clone().requires_grad_();
  EXPECT_FALSE(has_bf16_convolution(x, weight, steps_of(c))) << "no autocast";
  {
    const AutocastTo half(at::kHalf);
    EXPECT_FALSE(has_bf16_convolution(x, weight, steps_of(c))) << "to another type";
  }
  const AutocastTo autocast(at::kBFloat16);
  EXPECT_TRUE(has_bf16_convolution(x, weight, steps_of(c)));
  EXPECT_FALSE(has_bf16_convolution(t.x, weight, steps_of(c))) << "images in float";
  EXPECT_FALSE(has_bf16_convolution(x, t.weight, steps_of(c))) << "no gradient wanted";
  EXPECT_FALSE(has_bf16_convolution(x.contiguous(), weight, steps_of(c))) << "another layout";
  const auto wide = at::randn({64, 64, 3, 3}).requires_grad_();  // there are 392 pixels
  EXPECT_FALSE(has_bf16_convolution(x, wide, {.stride = 1, .padding = 1})) << "slower";
}

TEST(Bf16Convolution, RunsBackwardOnceUnlessTheGraphIsKept) {
  const ConvolutionCase c{2, 64, 256, 14, 1, 1};
  const Operands t = operands_of(c, at::kFloat);
  at::Tensor weight = t.weight.clone().requires_grad_();
  const at::Tensor y = bf16_convolution(t.x.to(at::kBFloat16), weight, steps_of(c));
  y.sum().backward({}, /*retain_graph=*/true);
  y.sum().backward();
  EXPECT_THROW(y.sum().backward(), c10::Error);
}

}  // namespace
}  // namespace scalemark::workloads
