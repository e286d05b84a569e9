#include "tests/nullnccl/worker.h"

#include <utility>

#include "tests/nullnccl/segment.h"
#include "tests/nullnccl/streams.h"

namespace nullnccl {

Worker::Worker() : thread_([this] { run(); }) {}

void Worker::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Worker::append(Piece piece, const std::vector<cudaStream_t>& streams) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closing_ || entries_.size() < kLongest; });
    if (closing_) return;
    std::vector<void*> held;
    for (const cudaStream_t stream : streams) held.push_back(hold(stream));
    entries_.push_back({std::move(piece), std::move(held)});
  }
  changed_.notify_all();
}

bool Worker::is_busy() {
  const std::lock_guard lock(mutex_);
  return !entries_.empty();
}

void Worker::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return entries_.empty(); });
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closing_ || !entries_.empty(); });
    if (entries_.empty()) return;
    Entry& entry = entries_.front();  // a deque's elements stay where they are
    lock.unlock();
    try {
      entry.piece();
    } catch (const Aborted&) {  // the device is free again, the results are void
    }
    for (void* held : entry.held) release(held);
    lock.lock();
    entries_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace nullnccl
