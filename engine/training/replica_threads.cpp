#include "engine/training/replica_threads.h"

#include <ATen/Parallel.h>
#include <ATen/ThreadLocalState.h>
#include <ATen/autocast_mode.h>

#include <array>

#include "core/base/threads.h"

namespace scalemark::training {
namespace {

// Autocast's types, which at::ThreadLocalState leaves out.
class AutocastTypes {
 public:
  AutocastTypes() {
    for (std::size_t i = 0; i < kDevices.size(); ++i) {
      types_[i] = at::autocast::get_autocast_dtype(kDevices[i]);
    }
  }
  void set() const {
    for (std::size_t i = 0; i < kDevices.size(); ++i) {
      at::autocast::set_autocast_dtype(kDevices[i], types_[i]);
    }
  }

 private:
  static constexpr std::array kDevices{at::kCPU, at::kCUDA};
  std::array<at::ScalarType, kDevices.size()> types_{};
};

// Of this thread. Torch sets the process's number in each thread that first computes; so it must
// have done that before.
void set_own_intra_op_threads(int threads) {
  at::get_num_threads();
  at::internal::lazy_init_num_threads();
  at::set_num_threads(threads);
}

}  // namespace

ReplicaThreads::ReplicaThreads(std::size_t count, int intra_op)
    : before_(at::get_num_threads()), running_(count), errors_(count) {
  try {
    for (std::size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, i, intra_op] { serve(i, intra_op); });
    }
  } catch (...) {  // the system starts no more
    stop();
    throw;
  }
  std::unique_lock lock(mutex_);
  wait_until_true(end_, lock, [this] { return running_ == 0; });
  at::set_num_threads(intra_op * static_cast<int>(count));
}

ReplicaThreads::~ReplicaThreads() {
  stop();
  at::set_num_threads(before_);
}

void ReplicaThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ReplicaThreads::run(const Task& task) {
  const at::ThreadLocalState modes;
  const AutocastTypes types;
  const Task in_modes = [&](std::size_t replica) {
    const at::ThreadLocalStateGuard guard(modes);
    types.set();
    task(replica);
  };
  {
    std::unique_lock lock(mutex_);
    errors_.assign(threads_.size(), nullptr);
    task_ = &in_modes;
    running_ = threads_.size();
    ++round_;
    begin_.notify_all();
    wait_until_true(end_, lock, [this] { return running_ == 0; });
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void ReplicaThreads::serve(std::size_t replica, int intra_op) {
  std::unique_lock lock(mutex_);
  set_own_intra_op_threads(intra_op);
  for (std::uint64_t seen = 0;; seen = round_) {
    if (--running_ == 0) end_.notify_one();
    wait_until_true(begin_, lock, [&] { return stopped_ || round_ != seen; });
    if (stopped_) return;
    const Task& task = *task_;
    lock.unlock();
    run_one(replica, task);
    lock.lock();
  }
}

void ReplicaThreads::run_one(std::size_t replica, const Task& task) {
  try {
    task(replica);
  } catch (...) {
    errors_[replica] = std::current_exception();
  }
}

}  // namespace scalemark::training
