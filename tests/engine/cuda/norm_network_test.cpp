// A ResNet in float64 whose norms are the CUDA kernels, compiled as C++ (tests/cuda_shim):
// autograd node, operators, kernels and launches as on a GPU, against ATen's operators.
#include <gtest/gtest.h>

#include "tests/engine/cuda/norm_on_shim.h"
#include "tests/workloads/resnet_steps.h"

namespace scalemark::cuda {
namespace {

TEST(NormOnCuda, ResNetTrainsAsWithATensOperators) {
  const NormOnShim shim(2);
  const int before = cuda_shim::launches();
  workloads::expect_same_training(2, 64, 2);
  EXPECT_EQ(cuda_shim::launches() - before, 2 * 20 * 4);  // two steps, 20 norms
  EXPECT_EQ(NormOnShim::counters_in_use(), 0);
}

}  // namespace
}  // namespace scalemark::cuda
