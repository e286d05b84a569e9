#include <barrier>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cuda_runtime.h"

namespace {

constexpr unsigned kMostThreads = 1024;  // of a block, on every GPU

using BlockBarrier = std::barrier<>;

std::unique_ptr<BlockBarrier> barrier;  // of the block that runs
std::vector<unsigned> block_order;
int launch_count = 0;

std::vector<unsigned> order_of(unsigned blocks) {
  if (block_order.empty()) {
    std::vector<unsigned> order(blocks);
    std::iota(order.begin(), order.end(), 0u);
    return order;
  }
  if (block_order.size() != blocks) throw std::logic_error("the block order is of another grid");
  return block_order;
}

uint3 position(unsigned index, const dim3& extent) {
  return {index % extent.x, index / extent.x % extent.y, index / extent.x / extent.y};
}

unsigned size_of(const dim3& extent) { return extent.x * extent.y * extent.z; }

}  // namespace

void __syncthreads() { barrier->arrive_and_wait(); }

namespace cuda_shim {

void set_block_order(std::vector<unsigned> order) { block_order = std::move(order); }

int launches() { return launch_count; }

cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread) {
  const unsigned blocks = size_of(config.gridDim), threads = size_of(config.blockDim);
  if (blocks == 0 || threads == 0 || threads > kMostThreads) return cudaErrorInvalidConfiguration;
  ++launch_count;
  ::gridDim = config.gridDim;
  ::blockDim = config.blockDim;
  const auto order = order_of(blocks);
  barrier = std::make_unique<BlockBarrier>(threads);
  // Between two blocks all threads meet, and a new barrier takes in those that returned early.
  std::barrier next_block(threads,
                          [&]() noexcept { barrier = std::make_unique<BlockBarrier>(threads); });
  std::vector<std::jthread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      ::threadIdx = position(t, config.blockDim);
      for (const unsigned block : order) {
        ::blockIdx = position(block, config.gridDim);
        thread();
        barrier->arrive_and_drop();
        next_block.arrive_and_wait();
      }
    });
  }
  return cudaSuccess;
}

}  // namespace cuda_shim
