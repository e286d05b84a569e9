// Serves every processor: vectors of four floats, which the compiler turns into available
// instructions.
namespace scalemark::kernels {
namespace {

constexpr int kLanes = 4;

}  // namespace
}  // namespace scalemark::kernels

#include "kernels/optimizer_kernels.h"
#include "kernels/optimizer_kernels.inc"

namespace scalemark::kernels {

constinit const OptimizerKernels kPortableOptimizerKernels = optimizer_table();
constinit const WeightUpdateKernels kPortableWeightUpdateKernels = weight_update_table();

}  // namespace scalemark::kernels
