#include <algorithm>
#include <array>
#include <barrier>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cuda_runtime.h"
#include "fibres.h"

namespace {

constexpr unsigned kMostThreads = 1024;  // every GPU has this limit for a block

using BlockBarrier = std::barrier<>;

struct Warp {
  std::barrier<> met{cuda_shim::kLanesOfWarp};
  std::array<std::uint64_t, cuda_shim::kLanesOfWarp> bits{};

  void meet() {
    if (cuda_shim::fibres_are_on()) return cuda_shim::wait_on_fibre(cuda_shim::Barrier::kWarp);
    met.arrive_and_wait();
  }
};

std::unique_ptr<BlockBarrier> barrier;  // the running block waits here
std::vector<std::unique_ptr<Warp>> warps;
thread_local unsigned index_in_block = 0;
std::vector<unsigned> block_order;
std::optional<unsigned> shuffle_seed;
int launch_count = 0;

std::vector<unsigned> order_of(unsigned blocks) {
  if (block_order.empty()) {
    std::vector<unsigned> order(blocks);
    std::iota(order.begin(), order.end(), 0u);
    if (shuffle_seed) std::shuffle(order.begin(), order.end(), std::mt19937(*shuffle_seed));
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

void __syncthreads() {
  if (cuda_shim::fibres_are_on()) return cuda_shim::wait_on_fibre(cuda_shim::Barrier::kBlock);
  barrier->arrive_and_wait();
}

namespace cuda_shim {

std::uint64_t exchange_in_warp(std::uint64_t bits, unsigned other) {
  Warp& warp = *warps.at(index_in_block / kLanesOfWarp);
  const unsigned lane = index_in_block % kLanesOfWarp;
  warp.bits[lane] = bits;
  warp.meet();
  const std::uint64_t found = warp.bits[lane ^ other];
  warp.meet();
  return found;
}

void set_block_order(std::vector<unsigned> order) { block_order = std::move(order); }

void shuffle_blocks(std::optional<unsigned> seed) { shuffle_seed = seed; }

int launches() { return launch_count; }

cudaError_t run_grid(const cudaLaunchConfig_t& config, const std::function<void()>& thread) {
  const unsigned blocks = size_of(config.gridDim), threads = size_of(config.blockDim);
  if (blocks == 0 || threads == 0 || threads > kMostThreads) return cudaErrorInvalidConfiguration;
  ++launch_count;
  ::gridDim = config.gridDim;
  ::blockDim = config.blockDim;
  const auto order = order_of(blocks);
  warps.clear();  // whole ones only: lanes that are missing would be waited for
  for (unsigned i = 0; i < threads / kLanesOfWarp; ++i) warps.push_back(std::make_unique<Warp>());
  if (fibres_are_on()) {
    const auto enter = [&](unsigned t) {
      ::threadIdx = position(t, config.blockDim);
      index_in_block = t;
    };
    for (const unsigned block : order) {
      ::blockIdx = position(block, config.gridDim);
      run_fibres(threads, enter, thread);
    }
    return cudaSuccess;
  }
  barrier = std::make_unique<BlockBarrier>(threads);
  // Between two blocks all threads meet, and a new barrier takes in those that returned early.
  std::barrier next_block(threads,
                          [&]() noexcept { barrier = std::make_unique<BlockBarrier>(threads); });
  std::vector<std::jthread> team;
  for (unsigned t = 0; t < threads; ++t) {
    team.emplace_back([&, t] {
      ::threadIdx = position(t, config.blockDim);
      index_in_block = t;
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
