// A short name of the bits of a tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace scalemark::device {

// Returns the XXH3-128 of the elements in order, as 32 hexadecimal digits. A tensor that is not on
// the CPU is copied, which waits for it.
std::string digest_of(const at::Tensor& tensor);

}  // namespace scalemark::device
