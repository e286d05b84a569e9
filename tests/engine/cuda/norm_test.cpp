// The CUDA kernels of batch norm, compiled as C++ (tests/cuda_shim), against ATen in float64.
#include <ATen/Parallel.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/cuda/norm_on_shim.h"
#include "tests/kernels/norm_oracle.h"
#include "workloads/layers/fused_norm.h"

namespace scalemark::cuda {
namespace {

using workloads::distance;
using workloads::Inputs;
using workloads::kEps;
using workloads::kLayout;
using workloads::kTails;
using workloads::NormBackward;
using workloads::NormForward;
using workloads::oracle;
using workloads::Results;
using workloads::Shape;
using workloads::Tail;

// ResNet-50's numbers of channels, on small images; then odd ones, and one value per channel.
const std::vector<Shape> kShapes = {
    {2, 64, 28}, {1, 128, 14}, {1, 256, 14}, {1, 512, 7}, {2, 1024, 4}, {1, 2048, 3}, {3, 1, 5},
    {2, 3, 9},   {2, 7, 3},    {5, 17, 7},   {1, 33, 30}, {2, 100, 6},  {4, 513, 1},  {1, 72, 41}};

enum class Placement { kAligned, kOff };

// kOff: one element behind a multiple of 16 bytes, where no vector may be read.
at::Tensor placed(const at::Tensor& values, at::ScalarType type, Placement place) {
  const at::Tensor here = values.to(type).contiguous(kLayout);
  const std::int64_t offset = place == Placement::kOff ? 1 : 0;
  const at::Tensor room = at::empty({here.numel() + offset}, type);
  return room.as_strided(here.sizes(), here.strides(), offset).copy_(here);
}

// Calls the operators like a node does: the sum of gradients is written in the place of the second
// one, and the gradient of x in that of the first.
Results ours(const Inputs& in, const Tail& tail, at::ScalarType type,
             Placement place = Placement::kAligned) {
  const auto parameters = workloads::type_of_parameters(type);
  Results out;
  out.mean = at::zeros(in.weight.sizes(), parameters);
  out.variance = at::ones(in.weight.sizes(), parameters);
  const NormForward forward{
      .x = placed(in.x, type, place),
      .weight = in.weight.to(parameters),
      .bias = in.bias.to(parameters),
      .shortcut = tail.shortcut ? placed(in.shortcut, type, place) : at::Tensor(),
      .gain = tail.gain,
      .relu = tail.relu};
  const auto norm = workloads::run_norm(
      forward, {.running = {out.mean, out.variance, 0.1}, .eps = kEps, .training = true},
      tail.shortcut);
  NormBackward backward{
      .statistics = norm.kept, .positive = norm.positive, .of_y = placed(in.of_y, type, place)};
  if (tail.shortcut) {
    backward.of_y_too = placed(in.of_y_too, type, place);
    backward.of_sum = backward.of_y_too;
  }
  backward.of_x = backward.of_y;
  const auto of_parameters = workloads::run_norm_backward(forward, backward);
  out.y = norm.y;
  out.of_x = backward.of_x;
  out.of_shortcut = backward.of_sum;
  out.of_weight = of_parameters.weight;
  out.of_bias = of_parameters.bias;
  return out;
}

template <class Body>
void for_all(const Body& body) {
  at::set_num_threads(1);
  at::manual_seed(4);
  for (const Shape& shape : kShapes) {
    const Inputs in(shape);
    for (const Tail& tail : kTails) body(in, tail, workloads::text(shape, tail));
  }
}

TEST(NormOnCuda, InFloat64EqualsATen) {
  const NormOnShim shim(3);
  for_all([](const Inputs& in, const Tail& tail, const std::string& what) {
    const auto expected = oracle(in, tail, at::kDouble).all(),
               found = ours(in, tail, at::kDouble).all();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!expected[i].second.defined()) continue;
      EXPECT_LE(distance(found[i].second, expected[i].second), 1e-12)
          << expected[i].first << " " << what;
    }
  });
  EXPECT_EQ(NormOnShim::counters_in_use(), 0);
}

// `slack`: what is as good as ATen's on a CPU.
void expect_as_near_as_aten(at::ScalarType type, double allowed, double slack) {
  const NormOnShim shim(3);
  for_all([&](const Inputs& in, const Tail& tail, const std::string& what) {
    const auto exact = oracle(in, tail, at::kDouble).all(), plain = oracle(in, tail, type).all();
    const auto found = ours(in, tail, type).all();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (!exact[i].second.defined()) continue;
      const double off = distance(found[i].second, exact[i].second);
      EXPECT_LE(off, allowed) << exact[i].first << " " << what;
      EXPECT_LE(off, 1.1 * distance(plain[i].second, exact[i].second) + slack)
          << exact[i].first << " " << what;
    }
  });
}

TEST(NormOnCuda, InFloat32IsAsNearToFloat64AsATen) {
  expect_as_near_as_aten(at::kFloat, 5e-6, 5e-7);
}
TEST(NormOnCuda, InBf16IsAsNearToFloat64AsATen) {
  expect_as_near_as_aten(at::kBFloat16, 5e-3, 5e-7);
}
TEST(NormOnCuda, InFp16IsAsNearToFloat64AsATen) { expect_as_near_as_aten(at::kHalf, 6e-4, 5e-7); }

// Threads with many rows, and blocks with few.
TEST(NormOnCuda, AnyNumberOfMultiprocessorsGivesTheSameButForRounding) {
  at::manual_seed(7);
  const Inputs in({2, 72, 41});
  const auto expected = oracle(in, kTails.back(), at::kDouble).all();
  for (const unsigned multiprocessors : {1u, 13u, 132u}) {
    const NormOnShim shim(multiprocessors);
    const auto found = ours(in, kTails.back(), at::kDouble).all();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_LE(distance(found[i].second, expected[i].second), 1e-12) << expected[i].first;
    }
  }
}

// Threads really run at once: a missing barrier would show, too.
TEST(NormOnCuda, RepeatsBitByBitInEveryOrderOfBlocks) {
  at::manual_seed(5);
  const Inputs in({2, 72, 17});
  for (const auto type : {at::kFloat, at::kBFloat16}) {
    std::vector<std::pair<std::string, at::Tensor>> first;
    for (unsigned seed = 0; seed < 6; ++seed) {
      const NormOnShim shim(13, /*threads=*/seed == 5);
      cuda_shim::shuffle_blocks(seed);
      const auto again = ours(in, kTails.back(), type).all();
      if (first.empty()) first = again;
      for (std::size_t i = 0; i < first.size(); ++i) {
        EXPECT_TRUE(at::equal(first[i].second, again[i].second)) << first[i].first << ", " << seed;
      }
    }
  }
}

// Neither may the mask differ, whose layout both ways share.
TEST(NormOnCuda, ComputesTheSameBitsWhereNoVectorsCanBeRead) {
  at::manual_seed(6);
  const NormOnShim shim(2);
  const Inputs in({2, 64, 13});
  for (const auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    for (const Tail& tail : kTails) {
      const auto aligned = ours(in, tail, type).all(),
                 off = ours(in, tail, type, Placement::kOff).all();
      for (std::size_t i = 0; i < aligned.size(); ++i) {
        if (!aligned[i].second.defined()) continue;
        // Rows are taken in other groups, but each thread adds its own in one order.
        EXPECT_TRUE(at::equal(aligned[i].second, off[i].second)) << aligned[i].first << " " << type;
      }
    }
  }
}

TEST(NormOnCuda, LaunchesFourKernelsForANorm) {
  const NormOnShim shim(2);
  for (const Tail& tail : kTails) {
    const int before = cuda_shim::launches();
    ours(Inputs({1, 16, 4}), tail, at::kFloat);
    EXPECT_EQ(cuda_shim::launches() - before, 4);
  }
}

TEST(NormOnCuda, OneGradientAndTheSumInThePlaceOfTheGradientOfX) {
  at::manual_seed(8);
  const NormOnShim shim(2);
  const Inputs in({2, 20, 9});
  const NormForward forward{.x = in.x.to(at::kDouble),
                            .weight = in.weight.to(at::kDouble),
                            .bias = in.bias.to(at::kDouble),
                            .shortcut = in.shortcut.to(at::kDouble),
                            .relu = true};
  const auto norm =
      workloads::run_norm(forward, {.running = {{}, {}, 0.1}, .eps = kEps, .training = true}, true);
  NormBackward backward{
      .statistics = norm.kept, .positive = norm.positive, .of_y = in.of_y.to(at::kDouble)};
  backward.of_sum = backward.of_x = at::empty_like(backward.of_y);
  workloads::run_norm_backward(forward, backward);
  Inputs alone = in;
  alone.of_y_too.zero_();
  const auto expected = oracle(alone, {true, true, 1}, at::kDouble);
  EXPECT_LE(distance(backward.of_x, expected.of_x), 1e-12);
  EXPECT_TRUE(at::equal(backward.of_y, in.of_y.to(at::kDouble)));  // left alone
}

TEST(NormOnCuda, EvaluationUsesRunningStatistics) {
  at::manual_seed(9);
  const NormOnShim shim(2);
  for (const std::int64_t channels : {20, 300}) {
    const Inputs in({2, channels, 5});
    const at::Tensor mean = at::randn({channels}), variance = at::rand({channels}) + 0.5;
    const at::Tensor mean_before = mean.clone();
    const NormForward forward{.x = in.x.to(at::kFloat),
                              .weight = in.weight,
                              .bias = in.bias,
                              .shortcut = in.shortcut.to(at::kFloat),
                              .relu = true};
    const auto found = workloads::run_norm(
        forward, {.running = {mean, variance, 0.1}, .eps = kEps, .training = false}, false);
    const at::Tensor plain =
        at::batch_norm(forward.x, in.weight, in.bias, mean, variance, false, 0.1, kEps, false);
    EXPECT_TRUE(at::allclose(found.y, (plain + forward.shortcut).relu(), 1e-5, 1e-5));
    EXPECT_FALSE(found.positive.defined());
    EXPECT_TRUE(at::equal(mean, mean_before));
  }
}

TEST(NormOnCuda, AMeanFarFromZeroCostsNoDigits) {
  at::manual_seed(6);
  const NormOnShim shim(4);
  const at::Tensor x = (at::randn({4, 20, 14, 14}) + 1e4).contiguous(kLayout);
  const at::Tensor weight = at::ones({20}), bias = at::zeros({20});
  const auto norm =
      workloads::run_norm({.x = x, .weight = weight, .bias = bias},
                          {.running = {{}, {}, 0.1}, .eps = 0, .training = true}, false);
  const at::Tensor exact = x.to(at::kDouble);
  const at::Tensor mean = norm.kept[kMean].to(at::kDouble) + norm.kept[kMeanRest].to(at::kDouble);
  EXPECT_TRUE(at::allclose(mean, exact.mean({0, 2, 3}), 1e-9));
  EXPECT_TRUE(at::allclose(norm.kept[kInverse].to(at::kDouble),
                           exact.var({0, 2, 3}, /*unbiased=*/false).rsqrt(), 1e-5));
}

TEST(NormOnCuda, OneValuePerChannelIsTreatedAsATenDoes) {
  at::manual_seed(10);
  const NormOnShim shim(2);
  const Inputs in({1, 19, 1});
  const auto found = ours(in, kTails[1], at::kDouble),
             expected = oracle(in, kTails[1], at::kDouble);
  EXPECT_TRUE(at::allclose(found.y, expected.y, 1e-12, 1e-12));
  EXPECT_TRUE(at::allclose(found.variance, expected.variance, 1e-5, 1e-8, /*equal_nan=*/true));
}

TEST(NormOnCuda, NaNAndInfinityAreNotHidden) {
  const NormOnShim shim(2);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const auto type : {at::kFloat, at::kBFloat16, at::kHalf}) {
      Inputs in({2, 21, 4});
      in.x[1][2][0][0] = bad;
      in.x[1][20][0][0] = bad;
      const auto y = ours(in, kTails[2], type).y;
      EXPECT_TRUE(y.select(1, 2).isnan().all().item<bool>()) << type;
      EXPECT_TRUE(y.select(1, 20).isnan().all().item<bool>()) << type;
      EXPECT_TRUE(y.select(1, 3).isfinite().all().item<bool>()) << type;
    }
  }
}

TEST(NormOnCuda, TooManyChannelsAreRefused) {
  const NormOnShim shim(2);
  EXPECT_THROW(ours(Inputs({1, 40'000, 1}), kTails[0], at::kFloat), c10::Error);
}

// The grid fills the device and no more, and every thread of it has work.
TEST(ChannelGrid, FollowsFromShapeAndDevice) {
  const ChannelGrid stem = channel_grid<c10::BFloat16>(32 * 112 * 112, 64, 264);
  EXPECT_EQ(stem.tiles, 1u);
  EXPECT_EQ(stem.chunks, 264u);
  const ChannelGrid last = channel_grid<c10::BFloat16>(32 * 7 * 7, 512, 264);
  EXPECT_EQ(last.tiles, 8u);
  EXPECT_EQ(last.chunks, 25u);  // 1,568 rows, 2 for each of 32 threads
  EXPECT_EQ(channel_grid<c10::BFloat16>(32 * 7 * 7, 2048, 264).blocks(), 32u * 8);
  EXPECT_EQ(channel_grid<float>(1, 2048, 4).blocks(), 64u);
  EXPECT_EQ(channel_grid<float>(1000, 7, 264).blocks(), 16u);
}

}  // namespace
}  // namespace scalemark::cuda
