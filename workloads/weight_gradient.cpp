#include "workloads/weight_gradient.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/mm.h>

namespace scalemark::workloads {
namespace {

// [n, h, w, channels], as it lies in memory.
at::Tensor rows_of(const at::Tensor& images) { return images.permute({0, 2, 3, 1}); }

// What each output pixel sees, one row per pixel: [n h' w', k k in].
at::Tensor patches_of(const at::Tensor& x, std::int64_t height, std::int64_t width,
                      std::int64_t kernel, const ConvolutionSteps& steps) {
  const std::int64_t n = x.size(0), in = x.size(1), s = steps.stride, p = steps.padding;
  if (kernel == 1 && s == 1 && p == 0) return rows_of(x).reshape({-1, in});
  const at::Tensor padded = rows_of(
      p == 0 ? x : at::constant_pad_nd(x, {p, p, p, p}).contiguous(at::MemoryFormat::ChannelsLast));
  const auto strides = padded.strides();
  return padded
      .as_strided({n, height, width, kernel, kernel, in},
                  {strides[0], s * strides[1], s * strides[2], strides[1], strides[2], strides[3]})
      .reshape({n * height * width, kernel * kernel * in});
}

}  // namespace

at::Tensor weight_gradient(const at::Tensor& of_y, const at::Tensor& x, std::int64_t kernel,
                           const ConvolutionSteps& steps) {
  const std::int64_t out = of_y.size(1), in = x.size(1);
  const at::Tensor gradients = rows_of(of_y).reshape({-1, out});
  const at::Tensor patches = patches_of(x, of_y.size(2), of_y.size(3), kernel, steps);
  return at::mm(gradients.t(), patches).view({out, kernel, kernel, in}).permute({0, 3, 1, 2});
}

// oneDNN's kernel holds a weight's sums in float and adds to them image by image: it is slow where
// the weight is large beside the images. A copy of patches is worth its time there only. The bounds
// are from 2 threads of a Xeon without AMX, at 224 and 64 px: docs/PERFORMANCE.md.
bool product_is_faster(const at::Tensor& x, const at::Tensor& weight,
                       const ConvolutionSteps& steps) {
  const std::int64_t kernel = weight.size(2), pairs = weight.size(0) * weight.size(1);
  const std::int64_t rows = x.size(0) * (x.size(2) / steps.stride) * (x.size(3) / steps.stride);
  if (kernel == 1) return pairs >= 2 * rows;
  return kernel == 3 && pairs >= 512 * rows;
}

}  // namespace scalemark::workloads
