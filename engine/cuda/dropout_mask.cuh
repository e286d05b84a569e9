// Dropout masks on CUDA, from torch's generator: Philox4x32-10 (kernels/philox.h) in the counters that cuRAND gives it,
// so that masks never meet the numbers of torch's own kernels. Knows no torch.
//
// A mask has a byte for each group of 8 columns of a row, a bit for each element, 1 where it is kept. Group `g` of the
// whole mask, row after row, takes one block of the generator: subsequence g at the mask's offset. Its elements take
// the block's 16-bit halves, lower ones first, and are kept where those are not below the threshold.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "engine/cuda/launches.h"

namespace scalemark::cuda {

struct PhiloxBlock {
  std::uint32_t word[4];
};

__device__ __forceinline__ PhiloxBlock philox(std::uint64_t key, std::uint64_t low, std::uint64_t high) {
  std::uint32_t c0 = static_cast<std::uint32_t>(low), c1 = static_cast<std::uint32_t>(low >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(high), c3 = static_cast<std::uint32_t>(high >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c0, b = std::uint64_t{0xCD9E8D57} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(b >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(a >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(b);
    c3 = static_cast<std::uint32_t>(a);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {{c0, c1, c2, c3}};
}

// Loads from the device at most: a kernel calls it once.
__device__ __forceinline__ RandomSource settled(const RandomSource& source) {
  const std::uint64_t seed = source.seed_at ? static_cast<std::uint64_t>(*source.seed_at) : source.seed;
  const std::uint64_t before = source.offset_at ? static_cast<std::uint64_t>(*source.offset_at) : 0;
  return {nullptr, nullptr, seed, before + source.offset};
}

// The byte of a group; `source` is settled.
__device__ __forceinline__ std::uint8_t draw_group(const RandomSource& source, std::uint32_t threshold,
                                                   std::uint64_t group) {
  const PhiloxBlock block = philox(source.seed, source.offset / kWordsOfAMask, group);
  unsigned bits = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t half = block.word[i / 2] >> (16 * (i % 2)) & 0xffff;
    bits |= static_cast<unsigned>(half >= threshold) << i;
  }
  return static_cast<std::uint8_t>(bits);
}

// What element `i` of a group is multiplied by.
template <class C>
__device__ __forceinline__ C kept(unsigned bits, int i, C scale) {
  return (bits >> i & 1) != 0 ? scale : C{0};
}

}  // namespace scalemark::cuda
