// The shim itself, by a reduction and by small kernels that use one thing each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "engine/cuda/launches.h"
#include "sum_kernel.cuh"

namespace cuda_shim {
namespace {

using scalemark::cuda::blocks_for;
using scalemark::cuda::launch;

constexpr unsigned kBlocks = 7;

std::vector<float> random_values(int count) {
  std::mt19937 generator(3);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::ranges::generate(values, [&] { return uniform(generator); });
  return values;
}

std::vector<unsigned> shuffled_blocks(unsigned seed) {
  std::vector<unsigned> order(kBlocks);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

template <bool kInOrderOfArrival>
float sum_of(const std::vector<float>& values) {
  std::vector<float> parts(kBlocks);
  unsigned done = 0;
  float result = 0;
  EXPECT_EQ(launch(&sum<kInOrderOfArrival>, kBlocks, kSumThreads, nullptr, values.data(),
                   static_cast<int>(values.size()), parts.data(), &done, &result),
            cudaSuccess);
  EXPECT_EQ(done, 0u);
  return result;
}

class Shim : public ::testing::Test {
 protected:
  ~Shim() override { set_block_order({}); }
};

TEST_F(Shim, AReductionIsWithinItsRoundingOfAFloat64Sum) {
  for (const int count : {0, 1, 63, 448, 5000}) {
    const auto values = random_values(count);
    const double exact = std::accumulate(values.begin(), values.end(), 0.0);
    EXPECT_LE(std::abs(sum_of<false>(values) - exact), 1e-6 * exact) << count;
  }
}

TEST_F(Shim, AReductionInABlocksOrderRepeatsBitByBitWhicheverBlockIsLast) {
  const auto values = random_values(5000);
  const float first = sum_of<false>(values);
  for (unsigned seed = 0; seed < 10; ++seed) {
    set_block_order(shuffled_blocks(seed));
    EXPECT_EQ(sum_of<false>(values), first) << seed;
  }
}

TEST_F(Shim, OneInTheOrderOfArrivalIsSeenNotToRepeat) {
  const auto values = random_values(5000);
  std::vector<float> sums;
  for (unsigned seed = 0; seed < 10; ++seed) {
    set_block_order(shuffled_blocks(seed));
    sums.push_back(sum_of<true>(values));
  }
  EXPECT_NE(*std::ranges::min_element(sums), *std::ranges::max_element(sums));
}

__global__ void write_positions(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  out[block * blockDim.x * blockDim.y + thread] = 1000 * block + thread;
}

TEST_F(Shim, EveryThreadOfEveryBlockRunsOnceUnderItsOwnIndex) {
  std::vector<unsigned> out(6 * 8, 0);
  cudaLaunchConfig_t config;
  config.gridDim = dim3(3, 2);
  config.blockDim = dim3(4, 2);
  ASSERT_EQ(cudaLaunchKernelEx(&config, &write_positions, out.data()), cudaSuccess);
  for (unsigned i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 1000 * (i / 8) + i % 8);
}

__global__ void leave_early(int* out) {
  __shared__ int value;
  if (threadIdx.x >= 2) return;
  if (threadIdx.x == 0) value = 40 + static_cast<int>(blockIdx.x);
  __syncthreads();
  if (threadIdx.x == 1) out[blockIdx.x] = value;
}

TEST_F(Shim, ABarrierWaitsForTheThreadsThatLive) {
  const auto written = [] {
    std::vector<int> out(3, 0);
    EXPECT_EQ(launch(&leave_early, 3, 32, nullptr, out.data()), cudaSuccess);
    return out;
  };
  EXPECT_EQ(written(), (std::vector<int>{40, 41, 42}));
  const OnFibres fibres;
  EXPECT_EQ(written(), (std::vector<int>{40, 41, 42}));
}

TEST_F(Shim, FibresComputeWhatThreadsDo) {
  const auto values = random_values(5000);
  const float on_threads = sum_of<false>(values);
  const OnFibres fibres;
  EXPECT_EQ(sum_of<false>(values), on_threads);
}

// Thread t writes and reads what a neighbour has written, without a barrier in between.
__global__ void forget_a_barrier(int* out, int neighbour) {
  __shared__ int value[32];
  value[threadIdx.x] = -1;
  __syncthreads();
  value[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = value[(threadIdx.x + 32 + neighbour) % 32];
  __syncthreads();
}

TEST_F(Shim, FibresShowAMissingBarrier) {
  const OnFibres fibres;
  for (const int neighbour : {-1, 1}) {
    std::vector<int> out(32);
    ASSERT_EQ(launch(&forget_a_barrier, 1, 32, nullptr, out.data(), neighbour), cudaSuccess);
    EXPECT_GT(std::ranges::count(out, -1), 0) << neighbour;
  }
}

__global__ void exchange(int* out) {
  const int mine = 100 * static_cast<int>(blockIdx.x) + static_cast<int>(threadIdx.x);
  int value = mine;
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value - 32 * __shfl_xor_sync(0xffffffffu, mine, 1);
}

// Warp w exchanges w times more often than the first one before all threads meet.
__global__ void exchange_unevenly(int* out) {
  __shared__ int of_warps[3];
  const unsigned warp = threadIdx.x / 32;
  int value = 1;
  for (unsigned i = 0; i <= warp; ++i) value += __shfl_xor_sync(0xffffffffu, value, 1);
  if (threadIdx.x % 32 == 0) of_warps[warp] = value;
  __syncthreads();
  out[threadIdx.x] = of_warps[(warp + 1) % 3];
}

TEST_F(Shim, WarpsExchangeAsOftenAsTheyLike) {
  const auto written = [] {
    std::vector<int> out(96, 0);
    EXPECT_EQ(launch(&exchange_unevenly, 1, 96, nullptr, out.data()), cudaSuccess);
    return std::vector<int>{out[0], out[40], out[95]};
  };
  EXPECT_EQ(written(), (std::vector<int>{4, 8, 2}));
  const OnFibres fibres;
  EXPECT_EQ(written(), (std::vector<int>{4, 8, 2}));
}

__global__ void wait_apart() {
  if (threadIdx.x < 32) {
    __syncthreads();
  } else if (threadIdx.x > 32) {
    __shfl_xor_sync(0xffffffffu, 1, 1);
  } else {
    __syncthreads();
  }
}

TEST_F(Shim, FibresThatWaitAtDifferentBarriersAreAnError) {
  const OnFibres fibres;
  EXPECT_THROW(launch(&wait_apart, 1, 64, nullptr), std::logic_error);
}

TEST_F(Shim, AShuffleExchangesWithinAWarp) {
  std::vector<int> out(2 * 64, 0);
  ASSERT_EQ(launch(&exchange, 2, 64, nullptr, out.data()), cudaSuccess);
  for (int i = 0; i < 128; ++i) {
    const int thread = i % 64, first = 100 * (i / 64) + thread / 32 * 32;
    const int sum = 32 * first + 31 * 16;
    EXPECT_EQ(out[static_cast<std::size_t>(i)], sum - 32 * (first + (thread % 32 ^ 1))) << i;
  }
}

TEST_F(Shim, RefusesWhatCudaRefuses) {
  const int before = launches();
  cudaLaunchConfig_t config;
  config.gridDim = dim3(0);
  EXPECT_EQ(cudaLaunchKernelEx(&config, &leave_early, static_cast<int*>(nullptr)),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch(&leave_early, 1, 1025, nullptr, static_cast<int*>(nullptr)),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(launches(), before);
}

TEST(Launch, TakesNoMoreBlocksThanAskedForAndNoneForNothing) {
  EXPECT_EQ(blocks_for(0, 384, 660), 0u);
  EXPECT_EQ(blocks_for(1, 384, 660), 1u);
  EXPECT_EQ(blocks_for(385, 384, 660), 2u);
  EXPECT_EQ(blocks_for(38'535'168, 384, 660), 660u);
  EXPECT_EQ(blocks_for(std::int64_t{1} << 40, 384, 660), 660u);
  const int before = launches();
  EXPECT_EQ(launch(&leave_early, 0, 32, nullptr, static_cast<int*>(nullptr)), cudaSuccess);
  EXPECT_EQ(launches(), before);
}

}  // namespace
}  // namespace cuda_shim
