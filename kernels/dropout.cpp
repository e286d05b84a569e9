#include "kernels/dropout.h"

#include <cmath>

namespace scalemark::kernels {

Dropout dropout_of(double probability, std::uint64_t key) {
  const double threshold = std::nearbyint(probability * 65536);
  return {.key = key,
          .threshold = static_cast<std::uint32_t>(threshold),
          .scale = 65536 / (65536 - threshold)};
}

}  // namespace scalemark::kernels
