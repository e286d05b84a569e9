// scalemark::normalise_images on CUDA: uint8 NHWC in, normalised channels-last out, in one pass
// over memory. The schema and the CPU kernel are in workloads/networks/resnet50.cpp.
#include <ATen/core/Tensor.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/library.h>

#include <bit>
#include <cstdint>
#include <type_traits>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {
namespace {

// The kernel only moves values out of the table, so one instance for 16 bits serves both types.
template <class Out>
using Moved = std::conditional_t<sizeof(Out) == 2, std::uint16_t, Out>;

at::Tensor normalise_images(const at::Tensor& images, at::ArrayRef<double> mean,
                            at::ArrayRef<double> deviation, at::ScalarType dtype) {
  TORCH_CHECK(images.scalar_type() == at::kByte && images.dim() == 4 && images.size(3) == 3 &&
                  images.is_contiguous(),
              "normalise_images takes contiguous uint8 [n, h, w, 3]");
  auto out = at::empty({images.size(0), 3, images.size(1), images.size(2)},
                       images.options().dtype(dtype), at::MemoryFormat::ChannelsLast);
  const auto multiprocessors =
      static_cast<unsigned>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount);
  const auto fill = [&](auto type) {
    using Out = decltype(type);
    const auto table = std::bit_cast<workloads::PixelTable<Moved<Out>>>(
        workloads::make_pixel_table<Out>(mean, deviation));
    C10_CUDA_CHECK(launch_normalise(
        images.const_data_ptr<std::uint8_t>(), static_cast<Moved<Out>*>(out.mutable_data_ptr()),
        images.numel(), table, multiprocessors, at::cuda::getCurrentCUDAStream()));
  };
  switch (dtype) {
    case at::kFloat:
      fill(float{});
      break;
    case at::kDouble:
      fill(double{});
      break;
    case at::kHalf:
      fill(c10::Half{});
      break;
    case at::kBFloat16:
      fill(c10::BFloat16{});
      break;
    default:
      TORCH_CHECK(false, "normalise_images cannot make this dtype");
  }
  return out;
}

}  // namespace
}  // namespace scalemark::cuda

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  library.impl("normalise_images", &scalemark::cuda::normalise_images);
}
