// Linked against the fake runtime: calls it a known number of times, and ends with 1 when an answer
// did not come through.
#include <cstddef>
#include <cstdio>

struct Dim3 {
  unsigned x, y, z;
};

extern "C" {
int cudaMalloc(void**, std::size_t);
int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
int cudaMemcpyAsync(void*, const void*, std::size_t, int, void*);
int cudaEventRecord(void*, void*);
int cudaDeviceSynchronize();
}

int main() {
  void* p = nullptr;
  bool right = cudaMalloc(&p, 1) == 0;
  for (int i = 0; i < 3; ++i)
    right &= cudaLaunchKernel(nullptr, {7, 8, 9}, {1, 1, 1}, nullptr, 0, nullptr) == 0;
  for (int kind = 1; kind <= 3; ++kind) right &= cudaMemcpyAsync(p, p, 0, kind, nullptr) == kind;
  for (int i = 0; i < 5; ++i) right &= cudaEventRecord(nullptr, nullptr) == 0;
  right &= cudaDeviceSynchronize() == 42;
  return right ? 0 : 1;
}
