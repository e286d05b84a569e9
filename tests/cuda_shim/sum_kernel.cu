#include "sum_kernel.cuh"

template __global__ void cuda_shim::sum<false>(const float*, int, float*, unsigned*, float*);
