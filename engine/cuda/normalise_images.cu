// scalemark::normalise_images on CUDA: uint8 NHWC in, normalised channels-last out, in one pass over memory.
// The schema and the CPU kernel stand in workloads/normalise_images.cpp.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/library.h>

#include <cstdint>

namespace scalemark::cuda {
namespace {

struct PerChannel {
  float scale[3];   // 1 / (255 std)
  float offset[3];  // -mean / std
};

// One thread per pixel: three bytes in, three values out; neighbours in a warp touch neighbouring bytes.
template <class Out>
__global__ void normalise(const std::uint8_t* __restrict__ pixels, Out* __restrict__ out, std::int64_t count,
                          PerChannel channel) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  for (int c = 0; c < 3; ++c) {
    out[3 * i + c] = static_cast<Out>(static_cast<float>(pixels[3 * i + c]) * channel.scale[c] + channel.offset[c]);
  }
}

at::Tensor normalise_images(const at::Tensor& images, at::ArrayRef<double> mean, at::ArrayRef<double> std,
                            at::ScalarType dtype) {
  TORCH_CHECK(images.scalar_type() == at::kByte && images.dim() == 4 && images.size(3) == 3 && images.is_contiguous(),
              "normalise_images takes contiguous uint8 [n, h, w, 3]");
  PerChannel channel{};
  for (int c = 0; c < 3; ++c) {
    channel.scale[c] = static_cast<float>(1.0 / (255.0 * std[c]));
    channel.offset[c] = static_cast<float>(-mean[c] / std[c]);
  }
  auto out = at::empty({images.size(0), 3, images.size(1), images.size(2)}, images.options().dtype(dtype),
                       at::MemoryFormat::ChannelsLast);
  const std::int64_t pixels = images.numel() / 3;
  constexpr int kThreads = 256;
  const auto blocks = static_cast<unsigned>((pixels + kThreads - 1) / kThreads);
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto launch = [&](auto* destination) {
    normalise<<<blocks, kThreads, 0, stream>>>(images.const_data_ptr<std::uint8_t>(), destination, pixels, channel);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  };
  switch (dtype) {
    case at::kFloat: launch(out.mutable_data_ptr<float>()); break;
    case at::kDouble: launch(out.mutable_data_ptr<double>()); break;
    case at::kHalf: launch(out.mutable_data_ptr<c10::Half>()); break;
    case at::kBFloat16: launch(out.mutable_data_ptr<c10::BFloat16>()); break;
    default: TORCH_CHECK(false, "normalise_images cannot make this dtype");
  }
  return out;
}

}  // namespace
}  // namespace scalemark::cuda

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  library.impl("normalise_images", &scalemark::cuda::normalise_images);
}
