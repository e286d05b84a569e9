// A short name of the bits of a tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace scalemark::device {

// XXH3-128 of the elements in order, 32 hexadecimal digits. Copies what is not on the CPU, and
// waits for it.
std::string digest_of(const at::Tensor& tensor);

}  // namespace scalemark::device
