// The operator scalemark::normalise_images: its schema and its CPU kernel. The CUDA kernel stands
// in engine/cuda and registers itself when that part is loaded; the dispatcher finds it by device.
#include "workloads/normalise_images.h"

#include <ATen/Dispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include "workloads/parallel.h"
#include "workloads/pixel_table.h"

namespace scalemark::workloads {
namespace {

constexpr std::int64_t kPixelsPerTask = 16'384;

template <class Out>
void fill(const std::uint8_t* bytes, Out* out, std::int64_t pixels, const PixelTable<Out>& table) {
  parallel_for(0, pixels, kPixelsPerTask, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t c = 0; c < 3; ++c) {
        out[3 * i + c] = table.value[bytes[3 * i + c]][c];
      }
    }
  });
}

at::Tensor normalise_on_cpu(const at::Tensor& images, at::ArrayRef<double> mean,
                            at::ArrayRef<double> deviation, at::ScalarType dtype) {
  TORCH_CHECK(images.scalar_type() == at::kByte && images.dim() == 4 && images.size(3) == 3 &&
                  images.is_contiguous(),
              "normalise_images takes contiguous uint8 [n, h, w, 3]");
  auto out = at::empty({images.size(0), 3, images.size(1), images.size(2)},
                       images.options().dtype(dtype), at::MemoryFormat::ChannelsLast);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype, "normalise_images", [&] {
    fill(images.const_data_ptr<std::uint8_t>(), out.mutable_data_ptr<scalar_t>(),
         images.numel() / 3, make_pixel_table<scalar_t>(mean, deviation));
  });
  return out;
}

}  // namespace

TORCH_LIBRARY(scalemark, library) {
  library.def(
      "normalise_images(Tensor images, float[] mean, float[] std, ScalarType dtype) -> Tensor");
}

TORCH_LIBRARY_IMPL(scalemark, CPU, library) { library.impl("normalise_images", &normalise_on_cpu); }

at::Tensor normalise_images(const at::Tensor& images, const PixelStatistics& statistics,
                            at::ScalarType dtype) {
  static const auto kOperator = c10::Dispatcher::singleton()
                                    .findSchemaOrThrow("scalemark::normalise_images", "")
                                    .typed<decltype(normalise_on_cpu)>();
  return kOperator.call(images, statistics.mean, statistics.deviation, dtype);
}

}  // namespace scalemark::workloads
