// Stands in for CUDA's header of this name, so that a kernel (engine/cuda/*.cuh) compiles a second
// time as C++ and runs on a CPU, in a test. The kernel's source is the one that nvcc compiles;
// nothing in it knows of the shim.
//
// A launch works like this here: the threads of a block are threads of the CPU; the blocks of a
// grid run one after another, in an order that the test chooses (CUDA promises none).
// __syncthreads() is a std::barrier of the block's running threads, __shared__ memory is a static
// variable, which one block at a time uses, atomics are those of the CPU. A shuffle is an exchange
// over memory between two barriers of the warp's threads. Large tests take OnFibres instead of
// threads.
//
// This proves indices, tails, arithmetic bit by bit, and that a result does not depend on the order
// of blocks; a missing barrier makes the result vary, since the threads are real. It cannot prove
// speed, shuffles among some of a warp's lanes (refused) and ballots (not offered here, so that a
// kernel with them does not compile), dynamic shared memory (the same), and races between blocks
// that really run at once.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __grid_constant__
#define __shared__ static
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3() = default;
  constexpr dim3(unsigned vx, unsigned vy = 1, unsigned vz = 1) : x(vx), y(vy), z(vz) {}
};

inline thread_local uint3 threadIdx{};
inline thread_local uint3 blockIdx{};
inline dim3 blockDim, gridDim;  // the same for all threads of a launch; one launch at a time

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidConfiguration = 9 };
using cudaStream_t = struct Stream*;

struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes = 0;
  cudaStream_t stream = nullptr;
};

void __syncthreads();

// A read-modify-write that every thread makes orders as a fence does, and sanitizers understand it.
inline std::atomic<int> cuda_shim_fence{0};
inline void __threadfence() { cuda_shim_fence.fetch_add(0); }

template <class T>
T atomicAdd(T* address, T value) {
  return std::atomic_ref<T>(*address).fetch_add(value);
}

// Returns the old value; wraps to 0 after `last`, as CUDA defines it.
inline unsigned atomicInc(unsigned* address, unsigned last) {
  const std::atomic_ref<unsigned> here(*address);
  unsigned old = here.load();
  while (!here.compare_exchange_weak(old, old >= last ? 0 : old + 1)) {
  }
  return old;
}

namespace cuda_shim {

// The bits that lane `lane ^ other` of this thread's warp gave; all 32 lanes must call it.
std::uint64_t exchange_in_warp(std::uint64_t bits, unsigned other);

}  // namespace cuda_shim

template <class T>
T __shfl_xor_sync(unsigned lanes, T value, int other) {
  if (lanes != 0xffffffffu) throw std::logic_error("a shuffle among some lanes of a warp");
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const std::uint64_t bits =
      cuda_shim::exchange_in_warp(std::bit_cast<Bits>(value), static_cast<unsigned>(other));
  return std::bit_cast<T>(static_cast<Bits>(bits));
}

namespace cuda_shim {

// The order in which the next launches run their blocks; none: by index. Launches with another
// number of blocks are refused by an exception.
void set_block_order(std::vector<unsigned> order);

// Each of the next launches, of any grid, runs its blocks in an order drawn from `seed`; none: by
// index.
void shuffle_blocks(std::optional<unsigned> seed);

// While one lives, the threads of a block take turns on one thread of the CPU: each runs up to the
// next barrier, the first one first, and from there to the next one the last one first. Some
// hundred times faster than threads, whose interleavings vary; a missing barrier shows all the
// same.
class OnFibres {
 public:
  OnFibres();
  ~OnFibres();
  OnFibres(const OnFibres&) = delete;
  OnFibres& operator=(const OnFibres&) = delete;
};

// Launches so far in this process.
int launches();

// An empty grid or block, or more than 1,024 threads, are an invalid configuration, like in CUDA.
cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread);

}  // namespace cuda_shim

// Arguments become the kernel's parameter types before the launch, and every thread gets a copy, as
// on a GPU.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  const std::tuple<std::decay_t<Parameters>...> values(std::forward<Arguments>(arguments)...);
  return cuda_shim::run_grid(*config, [&] { std::apply(kernel, values); });
}
