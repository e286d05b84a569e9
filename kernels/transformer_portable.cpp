// Serves every processor: vectors of four floats, which the compiler turns into available
// instructions.
#include <cstdint>

#include "kernels/dropout.h"
#include "kernels/philox.h"

namespace scalemark::kernels {
namespace {

constexpr int kLanes = 4;

void draw_group(const Dropout& dropout, std::uint64_t row, std::uint32_t group,
                std::uint32_t* bits) {
  for (int word = 0; word < 4; ++word) bits[word] = 0;
  for (std::uint32_t block = 0; block < 16; ++block) {
    const auto words = philox({16 * group + block, 0, static_cast<std::uint32_t>(row),
                               static_cast<std::uint32_t>(row >> 32)},
                              dropout.key);
    for (int word = 0; word < 4; ++word) {
      const std::uint32_t low = (words[word] & 0xffff) >= dropout.threshold;
      const std::uint32_t high = (words[word] >> 16) >= dropout.threshold;
      bits[word] |= (low | high << 1) << (2 * block);
    }
  }
}

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/transformer_kernels.inc"

namespace scalemark::kernels {

constinit const TransformerKernels kPortableTransformerKernels = table();

}  // namespace scalemark::kernels
