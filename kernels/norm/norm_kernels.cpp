#include "kernels/norm/norm_kernels.h"

namespace scalemark::kernels {

template <class Element>
const NormKernels<Element>& norm_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::kAvx2) return norm_avx2<Element>();
  if (set == InstructionSet::kAvx512) return norm_avx512<Element>();
#endif
  static_cast<void>(set);
  return norm_portable<Element>();
}

template <>
const NormKernels<double>& norm_kernels(InstructionSet) {
  return norm_portable<double>();
}

template const NormKernels<float>& norm_kernels(InstructionSet);
template const NormKernels<BFloat16>& norm_kernels(InstructionSet);

}  // namespace scalemark::kernels
