// Compiled with -mavx2 -mfma; called where runs(InstructionSet::kAvx2).
namespace scalemark::kernels {
namespace {

constexpr int kLanes = 8;

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/lamb.inc"
#include "kernels/optimizer_tables.h"
#include "kernels/weight_update.inc"

namespace scalemark::kernels {

constinit const OptimizerKernels kOptimizerKernelsOfAvx2 = optimizer_table();
constinit const WeightUpdateKernels kWeightUpdateKernelsOfAvx2 = weight_update_table();

}  // namespace scalemark::kernels
