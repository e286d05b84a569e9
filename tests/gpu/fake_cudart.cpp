// A CUDA runtime of five functions that do nothing but answer: countcuda.so is tried over it.
#include <cstddef>

struct Dim3 {
  unsigned x, y, z;
};

extern "C" {
int cudaMalloc(void** p, std::size_t) { return *p = nullptr, 0; }
int cudaLaunchKernel(const void*, Dim3 grid, Dim3, void**, std::size_t, void*) {
  return grid.x == 7 && grid.z == 9 ? 0 : 1;  // the structures have come through
}
int cudaMemcpyAsync(void*, const void*, std::size_t, int kind, void*) { return kind; }
int cudaEventRecord(void*, void*) { return 0; }
int cudaDeviceSynchronize() { return 42; }
}
