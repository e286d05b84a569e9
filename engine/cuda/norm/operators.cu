// scalemark::norm_forward and norm_backward on CUDA. Their schemas and the CPU's kernels stand in
// workloads/norm_operators.cpp.
#include "engine/cuda/norm/operators.cuh"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <torch/library.h>

#include "engine/cuda/stream_counters.h"

namespace scalemark::cuda {
namespace {

static_assert(kNormCounters <= kCountersOfStream, "a norm counts in the counters of its stream");

void check(cudaError_t status) { C10_CUDA_CHECK(status); }

// call(passes) for the type of x, on the stream that is current on its device.
template <class Call>
auto with_passes(const NormArguments& arguments, const Call& call) {
  const c10::cuda::CUDAGuard guard(arguments.x.device());
  const auto stream = at::cuda::getCurrentCUDAStream();
  const NormDevice device{static_cast<unsigned>(at::cuda::getCurrentDeviceProperties()->multiProcessorCount), stream,
                          counters_of(stream), &check};
  switch (arguments.x.scalar_type()) {
    case at::kHalf: return call(NormPasses<c10::Half>(arguments, device));
    case at::kBFloat16: return call(NormPasses<c10::BFloat16>(arguments, device));
    default:
      TORCH_CHECK(arguments.x.scalar_type() == at::kFloat, "norms of this type are not done on CUDA");
      return call(NormPasses<float>(arguments, device));
  }
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_forward(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const MaybeTensor& running_mean,
    const MaybeTensor& running_variance, const MaybeTensor& shortcut, bool training, double momentum, double eps,
    double gain, bool relu, bool keeps_mask) {
  return with_passes({x, weight, bias, gain, relu}, [&](const auto& passes) {
    return passes.forward({running_mean, running_variance, training, momentum, eps}, shortcut, keeps_mask);
  });
}

std::tuple<at::Tensor, at::Tensor> norm_backward(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                                 const at::Tensor& statistics, const MaybeTensor& positive,
                                                 const at::Tensor& of_y, const MaybeTensor& of_y_too,
                                                 const MaybeTensor& of_sum, const MaybeTensor& of_x, double gain,
                                                 bool relu) {
  return with_passes({x, weight, bias, gain, relu}, [&](const auto& passes) {
    return passes.backward(statistics, positive, of_y, of_y_too, of_sum, of_x);
  });
}

}  // namespace
}  // namespace scalemark::cuda

TORCH_LIBRARY_IMPL(scalemark, CUDA, library) {
  library.impl("norm_forward", &scalemark::cuda::norm_forward);
  library.impl("norm_backward", &scalemark::cuda::norm_backward);
}
