#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {

const ResizeKernels& resize_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx2) return resize_avx2();
  if (set == InstructionSet::kAvx512) return resize_avx512();
#endif
  static_cast<void>(set);
  return resize_portable();
}

}  // namespace scalemark::kernels
