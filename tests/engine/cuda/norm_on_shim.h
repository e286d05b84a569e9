// The CUDA kernels of batch norm, compiled as C++ (tests/cuda_shim), behind the operators
// scalemark::norm_forward and norm_backward for CPU tensors, as long as one of these lives.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <optional>

#include "engine/cuda/norm/backward.cuh"
#include "engine/cuda/norm/forward.cuh"
#include "engine/cuda/norm/operators.h"

namespace scalemark::cuda {

class NormOnShim {
 public:
  // Few multiprocessors: threads take many rows each, many: blocks with few rows. `threads`: of the
  // CPU, instead of fibres.
  explicit NormOnShim(unsigned multiprocessors, bool threads = false);
  ~NormOnShim();
  NormOnShim(const NormOnShim&) = delete;
  NormOnShim& operator=(const NormOnShim&) = delete;

  // Counters that a kernel has left above 0.
  static int counters_in_use();

 private:
  torch::Library library_;
  std::optional<cuda_shim::OnFibres> fibres_;
};

}  // namespace scalemark::cuda
