// Compiled with -mavx2 -mfma; called only where runs(InstructionSet::kAvx2).
namespace scalemark::kernels {
namespace {

constexpr int kLanes = 8;

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/optimizer_kernels.h"
#include "kernels/optimizer_kernels.inc"

namespace scalemark::kernels {

constinit const OptimizerKernels kOptimizerKernelsOfAvx2 = optimizer_table();
constinit const WeightUpdateKernels kWeightUpdateKernelsOfAvx2 = weight_update_table();

}  // namespace scalemark::kernels
