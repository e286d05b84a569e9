// The vector instruction sets for which there are kernels, as far as this machine has them, and the
// type of activations in mixed precision. Knows no kernel.
#pragma once

#include <cstdint>

namespace scalemark::kernels {

// The type of activations in mixed precision: the upper half of a float. Kernels compute with it in
// float.
struct BFloat16 {
  std::uint16_t bits;
};

enum class InstructionSet : std::uint8_t { kPortable, kAvx2, kAvx512 };  // the widest last

// Whether the processor and the system support it, and this build has code for it. kAvx2 includes
// FMA; kAvx512 means AVX-512 F, BW, DQ and VL.
bool runs(InstructionSet set);

// Returns the widest supported set; the processor is asked once.
InstructionSet widest();

// "portable", "avx2", "avx512"
const char* name_of(InstructionSet set);

}  // namespace scalemark::kernels
