#include "tests/engine/cuda/norm_on_shim.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace scalemark::cuda {
namespace {

std::array<unsigned, kNormCounters> counters{};
unsigned multiprocessors_of_shim = 1;

void check(cudaError_t status) { TORCH_CHECK(status == cudaSuccess, "a launch was refused"); }

template <class Call>
auto with_passes(const NormArguments& arguments, const Call& call) {
  const NormDevice device{multiprocessors_of_shim, nullptr, counters.data(), &check};
  switch (arguments.x.scalar_type()) {
    case at::kDouble:
      return call(NormPasses<double>(arguments, device));
    case at::kHalf:
      return call(NormPasses<c10::Half>(arguments, device));
    case at::kBFloat16:
      return call(NormPasses<c10::BFloat16>(arguments, device));
    default:
      return call(NormPasses<float>(arguments, device));
  }
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> forward(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
    const MaybeTensor& running_mean, const MaybeTensor& running_variance,
    const MaybeTensor& shortcut, bool training, double momentum, double eps, double gain, bool relu,
    bool keeps_mask) {
  return with_passes({x, weight, bias, gain, relu}, [&](const auto& passes) {
    return passes.forward({running_mean, running_variance, training, momentum, eps}, shortcut,
                          keeps_mask);
  });
}

std::tuple<at::Tensor, at::Tensor> backward(const at::Tensor& x, const at::Tensor& weight,
                                            const at::Tensor& bias, const at::Tensor& statistics,
                                            const MaybeTensor& positive, const at::Tensor& of_y,
                                            const MaybeTensor& of_y_too, const MaybeTensor& of_sum,
                                            const MaybeTensor& of_x, double gain, bool relu) {
  return with_passes({x, weight, bias, gain, relu}, [&](const auto& passes) {
    return passes.backward(statistics, positive, of_y, of_y_too, of_sum, of_x);
  });
}

}  // namespace

NormOnShim::NormOnShim(unsigned multiprocessors, bool threads)
    : library_(torch::Library::IMPL, "scalemark", c10::DispatchKey::CPU, __FILE__, __LINE__) {
  multiprocessors_of_shim = multiprocessors;
  if (!threads) fibres_.emplace();
  library_.impl("norm_forward", &forward);
  library_.impl("norm_backward", &backward);
}

NormOnShim::~NormOnShim() { cuda_shim::shuffle_blocks({}); }

int NormOnShim::counters_in_use() {
  return static_cast<int>(
      std::ranges::count_if(counters, [](unsigned count) { return count > 0; }));
}

}  // namespace scalemark::cuda
