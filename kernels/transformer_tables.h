// The tables that the units with instructions of their own define.
#pragma once

#include "kernels/transformer_kernels.h"

namespace scalemark::kernels {

extern const TransformerKernels kPortableTransformerKernels;
extern const TransformerKernels kTransformerKernelsOfAvx2;
extern const TransformerKernels kTransformerKernelsOfAvx512;

}  // namespace scalemark::kernels
