#include "engine/device/cpu_allocator.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "core/machine/process_reading.h"

namespace scalemark::device {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

bool is_aligned(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 64 == 0; }

std::uint64_t refused_bytes(CpuAllocator& allocator, std::size_t bytes) {
  try {
    allocator.allocate(bytes);
  } catch (const CpuMemoryRefused& refused) {
    return refused.requested_bytes();
  }
  return 0;
}

TEST(CpuAllocator, BlocksAreAlignedAndCountedAsAskedFor) {
  CpuAllocator allocator;
  {
    const auto small = allocator.allocate(5);
    const auto large = allocator.allocate(9 * kMiB);
    EXPECT_TRUE(is_aligned(small.get()) && is_aligned(large.get()));
    EXPECT_EQ(allocator.memory().live_bytes, 5 + 9 * kMiB);
    EXPECT_GE(allocator.memory().reserved_bytes, 5 + 9 * kMiB);
  }
  EXPECT_EQ(allocator.memory().live_bytes, 0u);
  EXPECT_EQ(allocator.memory().peak_bytes, 5 + 9 * kMiB);
}

TEST(CpuAllocator, ZeroBytesAreNothing) {
  CpuAllocator allocator;
  EXPECT_EQ(allocator.allocate(0).get(), nullptr);
  EXPECT_EQ(allocator.memory().reserved_bytes, 0u);
}

TEST(CpuAllocator, AFreedBlockServesTheNextRequestOfItsSize) {
  CpuAllocator allocator;
  for (const std::size_t bytes : {std::size_t{100}, kMiB, 40 * kMiB}) {
    void* const first = allocator.allocate(bytes).get();
    const auto reserved = allocator.memory().reserved_bytes;
    EXPECT_EQ(allocator.allocate(bytes).get(), first);
    EXPECT_EQ(allocator.memory().reserved_bytes, reserved);
  }
}

TEST(CpuAllocator, TheLimitRefusesWithTheSizeAskedForAndNothingIsLost) {
  CpuAllocator allocator;
  allocator.set_limit(10 * kMiB);
  {
    const auto held = allocator.allocate(6 * kMiB);
    EXPECT_EQ(refused_bytes(allocator, 4 * kMiB + 1), 4 * kMiB + 1);
    EXPECT_EQ(allocator.memory().live_bytes, 6 * kMiB);
    const auto fits = allocator.allocate(4 * kMiB);
    EXPECT_NE(fits.get(), nullptr);
  }
  EXPECT_EQ(allocator.memory().live_bytes, 0u);
  EXPECT_NE(allocator.allocate(10 * kMiB).get(), nullptr);
  EXPECT_EQ(allocator.memory().peak_bytes, 10 * kMiB) << "a refused request is no use";
}

TEST(CpuAllocator, KeptMemoryGoesBackBeforeTheLimitIsPassed) {
  CpuAllocator allocator;
  allocator.set_limit(32 * kMiB);
  for (std::size_t mib = 1; mib <= 24; ++mib) allocator.allocate(mib * kMiB);
  EXPECT_LE(allocator.memory().reserved_bytes, 32 * kMiB);
}

TEST(CpuAllocator, ReleaseGivesTheMemoryBackToTheSystem) {
  CpuAllocator allocator;
  const auto before = monitoring::rss_bytes();
  {
    std::vector<c10::DataPtr> blocks;
    for (int i = 0; i < 64; ++i) {
      blocks.push_back(allocator.allocate(kMiB + static_cast<std::size_t>(i) * 4096));
      std::memset(blocks.back().get(), 1, kMiB);
    }
  }
  EXPECT_GT(monitoring::rss_bytes(), before + 60 * kMiB) << "kept";
  allocator.release_cached();
  EXPECT_EQ(allocator.memory().reserved_bytes, 0u);
  EXPECT_LT(monitoring::rss_bytes(), before + 16 * kMiB);
}

TEST(CpuAllocator, ThePeakStartsAnewFromWhatIsLive) {
  CpuAllocator allocator;
  const auto held = allocator.allocate(3 * kMiB);
  allocator.allocate(50 * kMiB);
  EXPECT_EQ(allocator.memory().peak_bytes, 53 * kMiB);
  allocator.reset_peak();
  EXPECT_EQ(allocator.memory().peak_bytes, 3 * kMiB);
}

TEST(CpuAllocator, WhatNoMachineHasIsRefused) {
  CpuAllocator allocator;
  for (const std::size_t bytes : {std::size_t{1} << 60, ~std::size_t{0}, kLargestRequest - 64}) {
    EXPECT_EQ(refused_bytes(allocator, bytes), bytes);
  }
  EXPECT_EQ(allocator.memory().live_bytes, 0u);
  EXPECT_EQ(allocator.memory().reserved_bytes, 0u);
}

// Each thread fills its blocks with its own byte and lets its neighbour check and free them.
TEST(CpuAllocator, BlocksMayBeFreedByOtherThreads) {
  constexpr int kThreads = 4, kBlocks = 400;
  CpuAllocator allocator;
  std::vector<std::vector<c10::DataPtr>> made(kThreads);
  std::vector<std::vector<std::size_t>> sizes(kThreads);
  const auto on_each_thread = [&](auto work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
    for (auto& thread : threads) thread.join();
  };
  std::atomic<int> damaged{0};
  for (int round = 0; round < 3; ++round) {
    on_each_thread([&](int t) {
      std::mt19937 random(static_cast<unsigned>(10 * round + t));
      for (int i = 0; i < kBlocks; ++i) {
        sizes[t].push_back(1 + random() % 20'000);
        made[t].push_back(allocator.allocate(sizes[t].back()));
        std::memset(made[t].back().get(), t + 1, sizes[t].back());
      }
    });
    on_each_thread([&](int t) {
      const int other = (t + 1) % kThreads;
      for (int i = 0; i < kBlocks; ++i) {
        const auto* bytes = static_cast<const unsigned char*>(made[other][i].get());
        for (std::size_t k = 0; k < sizes[other][i]; ++k) damaged += bytes[k] != other + 1;
      }
      made[other].clear();
      sizes[other].clear();
    });
    EXPECT_EQ(allocator.memory().live_bytes, 0u);
  }
  EXPECT_EQ(damaged, 0);
}

TEST(CpuAllocator, TheProcessOneServesTensors) {
  CpuAllocator& allocator = cpu_allocator();
  EXPECT_EQ(&allocator, &cpu_allocator());
  const auto before = allocator.memory().live_bytes;
  {
    const auto tensor = at::empty({1000}, at::kFloat);
    EXPECT_EQ(allocator.memory().live_bytes, before + 4000);
  }
  EXPECT_EQ(allocator.memory().live_bytes, before);

  allocator.set_limit(before + 4000);
  EXPECT_THROW(at::empty({1001}, at::kFloat), c10::OutOfMemoryError);
  allocator.set_limit(std::nullopt);
  EXPECT_NO_THROW(at::empty({1001}, at::kFloat));
}

}  // namespace
}  // namespace scalemark::device
