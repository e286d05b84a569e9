// How many bytes tensors hold.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace scalemark::training {

inline std::int64_t bytes_of(const at::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.nbytes());
}

inline std::int64_t bytes_of(const std::vector<at::Tensor>& tensors) {
  std::int64_t bytes = 0;
  for (const at::Tensor& tensor : tensors) bytes += bytes_of(tensor);
  return bytes;
}

}  // namespace scalemark::training
