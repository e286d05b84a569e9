// The tables that resize_<set>.cpp export; resize_kernels() chooses among them.
#pragma once

#include "kernels/resize/resize_kernels.h"

namespace scalemark::kernels {

const ResizeKernels& resize_portable();
const ResizeKernels& resize_avx2();
const ResizeKernels& resize_avx512();

}  // namespace scalemark::kernels
