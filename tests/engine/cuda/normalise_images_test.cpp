// The CUDA kernel of scalemark::normalise_images, compiled as C++ (tests/cuda_shim), against the
// CPU's operator.
#include "engine/cuda/normalise_images.cuh"

#include <ATen/ops/empty.h>
#include <ATen/ops/randint.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "workloads/networks/resnet50.h"

namespace scalemark::cuda {
namespace {

constexpr workloads::PixelStatistics kImageNet{{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};

template <class Out>
std::vector<Out> on_cuda(const at::Tensor& images, unsigned multiprocessors) {
  std::vector<Out> out(static_cast<std::size_t>(images.numel()));
  const auto table = workloads::make_pixel_table<Out>(kImageNet.mean, kImageNet.deviation);
  EXPECT_EQ(launch_normalise(images.const_data_ptr<std::uint8_t>(), out.data(), images.numel(),
                             table, multiprocessors, nullptr),
            cudaSuccess);
  return out;
}

template <class Out>
class NormaliseOnCuda : public ::testing::Test {};
using Types = ::testing::Types<float, double, c10::Half, c10::BFloat16>;
TYPED_TEST_SUITE(NormaliseOnCuda, Types);

// Bytes of every value in every channel; a tail, and 1 multiprocessor makes each thread stride on.
TYPED_TEST(NormaliseOnCuda, EqualsTheCpuBitByBit) {
  const auto images = at::randint(0, 256, {2, 37, 29, 3}, at::kByte);
  const auto expected =
      workloads::normalise_images(images, kImageNet, c10::CppTypeToScalarType<TypeParam>::value);
  ASSERT_TRUE(expected.is_contiguous(at::MemoryFormat::ChannelsLast));
  for (const unsigned multiprocessors : {1u, 132u}) {
    const auto out = on_cuda<TypeParam>(images, multiprocessors);
    EXPECT_EQ(std::memcmp(out.data(), expected.const_data_ptr(), out.size() * sizeof(TypeParam)),
              0);
  }
}

TYPED_TEST(NormaliseOnCuda, LaunchesNothingForAnEmptyBatch) {
  const int before = cuda_shim::launches();
  EXPECT_TRUE(on_cuda<TypeParam>(at::empty({0, 8, 8, 3}, at::kByte), 132).empty());
  EXPECT_EQ(cuda_shim::launches(), before);
}

}  // namespace
}  // namespace scalemark::cuda
