// Streams of the null device: queues of what is still to be done. Kernels do nothing, so a queue
// contains copies and waits, both only when copies are deferred, and holds: work of another library
// that ends at its own time (a collective of the null NCCL).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

#include "api.h"

namespace nullcuda {

class Stream;

// A point in a stream's queue: everything that was put in before it.
struct Position {
  Stream* stream = nullptr;
  std::uint64_t count = 0;
};

struct DeferredCopy {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
  std::uint64_t source_checksum = 0;  // taken when the copy was enqueued
  bool watch_source = false;          // pinned host memory: nobody may change it meanwhile
};

class Stream {
 public:
  explicit Stream(int device) : device_(device) {}

  int device() const { return device_; }
  Position now() { return {this, enqueued_}; }
  void put(const DeferredCopy& copy);
  void put_wait(Position other);

  // Work that ends when release_hold() is called as often as put_hold() was up to here.
  void put_hold();
  void release_hold();

  // Does the work queued before `count`, up to the first hold; true: that was all.
  bool try_finish(std::uint64_t count);
  bool try_finish() { return try_finish(enqueued_); }

  // Does the work queued before `count`. Waits for holds, without the lock: under a single call().
  void finish(std::uint64_t count);
  void finish() { finish(enqueued_); }

 private:
  struct Work {
    DeferredCopy copy;
    Position wait;           // instead of a copy
    std::uint64_t hold = 0;  // instead of either: the number of this hold, from 1
  };

  int device_;
  std::uint64_t enqueued_ = 0, done_ = 0;
  std::uint64_t holds_ = 0, released_ = 0;
  std::deque<Work> queue_;
};

// Returns the stream of a handle, which may be a default stream's. Null, and reported, when there
// is no such stream.
Stream* find_stream(cudaStream_t handle, const char* function);

bool is_default(const Stream& stream);  // one that nobody made

void finish_all_work();

struct StreamsInUse {
  std::uint64_t now = 0, peak = 0;
};
const StreamsInUse& streams_in_use();

}  // namespace nullcuda
