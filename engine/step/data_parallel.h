// Strategy data-parallel: one process trains replicas of a network, each in a thread of its own, on
// shares of one batch.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace scalemark::training {

// Runs a function for all replicas at once; knows no networks. The threads are kept from step to
// step, since each has intra-op threads of its own.
class ReplicaThreads {
 public:
  using Task = std::function<void(std::size_t replica)>;

  // Each thread computes with `intra_op` threads. Until they are gone, the thread that makes them,
  // which computes while they wait, uses as many as all of them together. Throws std::system_error.
  ReplicaThreads(std::size_t count, int intra_op);
  ~ReplicaThreads();
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  // Runs task(i) in thread i and returns when all have ended; throws what the first of them threw.
  // The threads take over the caller's gradient, autocast and profiler modes.
  void run(const Task& task);

 private:
  void stop();
  void serve(std::size_t replica, int intra_op);
  void run_one(std::size_t replica, const Task& task);

  int before_;  // intra-op threads of the constructing thread before
  std::mutex mutex_;
  std::condition_variable begin_, end_;
  const Task* task_ = nullptr;
  std::uint64_t round_ = 0;  // 0: none yet
  std::size_t running_ = 0;
  bool stopped_ = false;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::training
