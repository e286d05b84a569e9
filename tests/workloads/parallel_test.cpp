#include "workloads/layers/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace scalemark::workloads {
namespace {

// Torch's threads are as many as a test says.
class Parallel : public ::testing::Test {
 protected:
  void SetUp() override { at::set_num_threads(2); }
  void TearDown() override { at::set_num_threads(before_); }
  const int before_ = at::get_num_threads();
};

// Each part waits until the other has begun: one thread alone would wait in vain.
TEST_F(Parallel, TwoThreadsWorkAtTheSameTime) {
  std::atomic<int> begun{0};
  std::atomic<bool> met{false};
  parallel_for(0, 2, 1, [&](std::int64_t, std::int64_t) {
    ++begun;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (begun < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    if (begun == 2) met = true;
  });
  EXPECT_TRUE(met) << "everything ran in one thread";
}

TEST_F(Parallel, CoversEachIndexOnce) {
  std::vector<std::atomic<int>> seen(1001);
  parallel_for(0, 1001, 10, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  for (const auto& count : seen) EXPECT_EQ(count, 1);
}

TEST_F(Parallel, LessThanAGrainIsOnePart) {
  std::atomic<int> parts{0};
  parallel_for(3, 8, 10, [&](std::int64_t begin, std::int64_t end) {
    ++parts;
    EXPECT_EQ(begin, 3);
    EXPECT_EQ(end, 8);
  });
  EXPECT_EQ(parts, 1);
}

TEST_F(Parallel, WhatABodyThrowsArrives) {
  const auto fail = [](std::int64_t begin, std::int64_t) {
    if (begin > 0) throw std::runtime_error("in the other thread");
  };
  EXPECT_THROW(parallel_for(0, 2, 1, fail), std::runtime_error);
}

}  // namespace
}  // namespace scalemark::workloads
