// One thread that runs what is appended, in order, as a GPU's stream does: the caller continues.
// It knows no communication.
#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nullnccl {

class Worker {
 public:
  using Piece = std::function<void()>;

  // How many pieces may wait; beyond it the caller waits, as at a full launch queue.
  static constexpr std::size_t kLongest = 1000;

  Worker();
  ~Worker() { close(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // The streams are busy from now until the piece has returned. A piece may throw Aborted.
  void append(Piece piece, const std::vector<cudaStream_t>& streams);
  // Ends the thread, after all pieces. What is appended from now on is dropped.
  void close();
  bool is_busy();
  void wait_until_idle();

 private:
  struct Entry {
    Piece piece;
    std::vector<void*> held;  // release() of streams.h takes them
  };
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> entries_;  // the first one may be running
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace nullnccl
