// Tensors that may be left out, as torch's dispatcher takes them.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace scalemark {

using MaybeTensor = std::optional<at::Tensor>;

inline MaybeTensor if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : std::nullopt;
}

}  // namespace scalemark
