#include "engine/device/digest.h"

#include <cstddef>
#include <span>

#include "data/hash128.h"

namespace scalemark::device {

std::string digest_of(const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kCPU).contiguous();
  return data::to_hex(data::digest_of(
      std::span(static_cast<const std::byte*>(values.const_data_ptr()), values.nbytes())));
}

}  // namespace scalemark::device
