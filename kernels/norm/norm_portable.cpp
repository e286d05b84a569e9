#include "kernels/norm/norm_kernels.h"

namespace scalemark::kernels {
namespace {

#include "kernels/norm/passes.inc"

}  // namespace

template <>
const NormKernels<float>& norm_portable() {
  return kTable<Scalar<float>, float>;
}
template <>
const NormKernels<BFloat16>& norm_portable() {
  return kTable<Scalar<float>, BFloat16>;
}
template <>
const NormKernels<double>& norm_portable() {
  return kTable<Scalar<double>, double>;
}

}  // namespace scalemark::kernels
