#include "kernels/transformer_kernels.h"

namespace scalemark::kernels {

const TransformerKernels& transformer_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return kTransformerKernelsOfAvx512;
  if (set == InstructionSet::kAvx2) return kTransformerKernelsOfAvx2;
#endif
  static_cast<void>(set);
  return kPortableTransformerKernels;
}

}  // namespace scalemark::kernels
