// The tables of kernels that norm_<set>.cpp export; norm_kernels() chooses among them.
#pragma once

#include "kernels/norm/norm_kernels.h"

namespace scalemark::kernels {

template <class Element>
const NormKernels<Element>& norm_portable();  // float, BFloat16, double
template <class Element>
const NormKernels<Element>& norm_avx2();  // float, BFloat16
template <class Element>
const NormKernels<Element>& norm_avx512();  // float, BFloat16

}  // namespace scalemark::kernels
