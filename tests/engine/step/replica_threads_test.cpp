#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "engine/step/data_parallel.h"

namespace scalemark::training {
namespace {

TEST(ReplicaThreads, RunAtTheSameTimeInThreadsOfTheirOwn) {
  ReplicaThreads threads(3, 1);
  std::vector<std::thread::id> first(3), second(3);
  std::atomic<int> arrived = 0;
  threads.run([&](std::size_t i) {
    first[i] = std::this_thread::get_id();
    for (++arrived; arrived < 3;) std::this_thread::yield();
  });
  threads.run([&](std::size_t i) { second[i] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first[0], first[1]);
  EXPECT_NE(first[0], std::this_thread::get_id());
}

TEST(ReplicaThreads, ComputeInTheModesOfTheCaller) {
  ReplicaThreads threads(2, 1);
  const at::NoGradGuard no_grad;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kHalf);
  std::vector<bool> gradients(2, true), autocast(2, false);
  std::vector<at::ScalarType> types(2);
  std::atomic<int> turn = 0;
  threads.run([&](std::size_t i) {
    while (turn != static_cast<int>(i)) std::this_thread::yield();  // bits of one word
    gradients[i] = c10::GradMode::is_enabled();
    autocast[i] = at::autocast::is_autocast_enabled(at::kCPU);
    types[i] = at::autocast::get_autocast_dtype(at::kCPU);
    ++turn;
  });
  at::autocast::set_autocast_enabled(at::kCPU, false);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  EXPECT_EQ(gradients, std::vector<bool>(2, false));
  EXPECT_EQ(autocast, std::vector<bool>(2, true));
  EXPECT_EQ(types, std::vector<at::ScalarType>(2, at::kHalf));
}

TEST(ReplicaThreads, ThrowWhatTheFirstThrewWhenAllHaveEnded) {
  ReplicaThreads threads(3, 1);
  std::atomic<int> ended = 0;
  const auto fail = [&](std::size_t i) {
    ++ended;
    if (i > 0) throw std::runtime_error(std::to_string(i));
  };
  try {
    threads.run(fail);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
  EXPECT_EQ(ended, 3);
  threads.run([&](std::size_t) { ++ended; });
  EXPECT_EQ(ended, 6);
}

TEST(ReplicaThreads, ShareTheThreadsOfTheCaller) {
  const int before = at::get_num_threads();
  {
    ReplicaThreads threads(2, 3);
    EXPECT_EQ(at::get_num_threads(), 6);
    std::vector<int> each(2);
    threads.run([&](std::size_t i) {
      at::parallel_for(0, 1, 1,
                       [](std::int64_t, std::int64_t) {});  // torch sets its own number here
      each[i] = at::get_num_threads();
    });
    EXPECT_EQ(each, std::vector<int>({3, 3}));
  }
  EXPECT_EQ(at::get_num_threads(), before);
}

}  // namespace
}  // namespace scalemark::training
