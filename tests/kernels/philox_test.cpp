#include "kernels/philox.h"

#include <ATen/core/PhiloxRNGEngine.h>
#include <gtest/gtest.h>

namespace scalemark::kernels {
namespace {

// Torch's own implementation: its seed is the key, its subsequence the counter's upper half, its
// offset the lower one.
TEST(Philox, EqualsTorchs) {
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t key = i * 0x9e3779b97f4a7c15, row = i * i * 0x123456789, block = 3 * i;
    at::Philox4_32 torchs(key, row, block);
    const auto ours =
        philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(row >> 32)},
               key);
    for (const std::uint32_t word : ours) EXPECT_EQ(word, torchs()) << i;
  }
}

}  // namespace
}  // namespace scalemark::kernels
