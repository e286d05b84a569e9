// Compiled with AVX-512 F, BW, DQ and VL; called only where runs(InstructionSet::kAvx512).
namespace scalemark::kernels {
namespace {

constexpr int kLanes = 16;

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/optimizer_kernels.h"
#include "kernels/optimizer_kernels.inc"

namespace scalemark::kernels {

constinit const OptimizerKernels kOptimizerKernelsOfAvx512 = optimizer_table();
constinit const WeightUpdateKernels kWeightUpdateKernelsOfAvx512 = weight_update_table();

}  // namespace scalemark::kernels
