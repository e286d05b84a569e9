// The tables that the units with instructions of their own define.
#pragma once

#include "kernels/lamb.h"
#include "kernels/weight_update.h"

namespace scalemark::kernels {

extern const OptimizerKernels kPortableOptimizerKernels;
extern const OptimizerKernels kOptimizerKernelsOfAvx2;
extern const OptimizerKernels kOptimizerKernelsOfAvx512;

extern const WeightUpdateKernels kPortableWeightUpdateKernels;
extern const WeightUpdateKernels kWeightUpdateKernelsOfAvx2;
extern const WeightUpdateKernels kWeightUpdateKernelsOfAvx512;

}  // namespace scalemark::kernels
