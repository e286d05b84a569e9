// The type of activations in mixed precision: the upper half of a float. Arithmetic on it is done
// in float, by kernels.
#pragma once

#include <cstdint>

namespace scalemark::kernels {

struct BFloat16 {
  std::uint16_t bits;
};

}  // namespace scalemark::kernels
