// The vector instructions that kernels are written for, as far as this machine has them, and the
// type of activations in mixed precision. Knows no kernel.
#pragma once

#include <cstdint>

namespace scalemark::kernels {

// The type of activations in mixed precision: the upper half of a float. Arithmetic on it is done
// in float, by kernels.
struct BFloat16 {
  std::uint16_t bits;
};

enum class InstructionSet : std::uint8_t { kPortable, kAvx2, kAvx512 };  // the widest last

// Whether the processor and the system run it, and this build has code for it. kAvx2 stands for
// AVX2 with FMA, kAvx512 for AVX-512 F, BW, DQ and VL besides.
bool runs(InstructionSet set);

// The widest that runs; asked of the processor once.
InstructionSet widest();

// "portable", "avx2", "avx512"
const char* name_of(InstructionSet set);

}  // namespace scalemark::kernels
