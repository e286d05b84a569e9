// scalemark::norm_forward and norm_backward on CUDA. Their schemas and the CPU's kernels stand in
// workloads/layers/fused_norm.cpp.
#include "engine/cuda/norm/operators.h"

#include <c10/cuda/CUDAFunctions.h>
#include <torch/library.h>

#include <map>
#include <mutex>
#include <utility>

#include "engine/cuda/operators.h"

namespace scalemark::cuda {
namespace {

// The sets of counters by device and stream. A set stays with its stream.
class CounterSets {
 public:
  unsigned* find(int device, cudaStream_t stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    unsigned*& set = sets_[{device, stream}];
    if (!set) set = next(device);
    return set;
  }

 private:
  unsigned* next(int device) {
    const unsigned number = given_[device]++;
    TORCH_CHECK(number < kCounterSets, "norms on more than ", kCounterSets,
                " streams of one device");
    void* first = nullptr;
    Runtime::check(address_of_counters(&first));
    return static_cast<unsigned*>(first) + number * kNormCounters;
  }

  std::mutex mutex_;
  std::map<std::pair<int, cudaStream_t>, unsigned*> sets_;
  std::map<int, unsigned> given_;
};

// Returns the counters of `stream` on the current device. Throws when there are more streams than
// sets.
unsigned* counters_of(cudaStream_t stream) {
  static CounterSets sets;
  return sets.find(c10::cuda::current_device(), stream);
}

// Calls call(passes) for the type of x, on the current stream of its device.
template <class Call>
auto with_passes(const NormArguments& arguments, const Call& call) {
  const Runtime runtime(arguments.x);
  const cudaStream_t stream = runtime.stream();
  const NormDevice device{runtime.multiprocessors(), stream, counters_of(stream), &Runtime::check};
  switch (arguments.x.scalar_type()) {
    case at::kHalf:
      return call(NormPasses<Runtime::Half>(arguments, device));
    case at::kBFloat16:
      return call(NormPasses<Runtime::BFloat16>(arguments, device));
    default:
      TORCH_CHECK(arguments.x.scalar_type() == at::kFloat,
                  "norms of this type are not done on CUDA");
      return call(NormPasses<float>(arguments, device));
  }
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> norm_forward(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const MaybeTensor& running_mean, const MaybeTensor& running_variance,
    const MaybeTensor& shortcut, bool training, double momentum, double eps, double gain, bool relu,
    bool keeps_mask) {
  return with_passes({x, weight, bias, gain, relu}, [&](const auto& passes) {
    return passes.forward({running_mean, running_variance, training, momentum, eps}, shortcut,
                          keeps_mask);
  });
}

std::tuple<at::Tensor, at::Tensor> norm_backward(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const at::Tensor& statistics, const MaybeTensor& positive, const at::Tensor& of_y,
    const MaybeTensor& of_y_too, const MaybeTensor& of_sum, const MaybeTensor& of_x, double gain,
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
