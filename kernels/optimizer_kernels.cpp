#include "kernels/optimizer_kernels.h"

namespace scalemark::kernels {

const OptimizerKernels& optimizer_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return kOptimizerKernelsOfAvx512;
  if (set == InstructionSet::kAvx2) return kOptimizerKernelsOfAvx2;
#endif
  static_cast<void>(set);
  return kPortableOptimizerKernels;
}

const WeightUpdateKernels& weight_update_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx512) return kWeightUpdateKernelsOfAvx512;
  if (set == InstructionSet::kAvx2) return kWeightUpdateKernelsOfAvx2;
#endif
  static_cast<void>(set);
  return kPortableWeightUpdateKernels;
}

}  // namespace scalemark::kernels
