// Worker threads that decode sample groups ahead, rows in parallel, and hand them back in the order
// in which they came. Knows nothing of epochs or of what to do with a bad sample.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "data/sample_group.h"

namespace scalemark::data {

// How many samples ahead of its workers a data set is told what comes: enough for a disk to have
// several requests at once, and little beside a batch.
inline constexpr std::size_t kExpectedAhead = 32;

// push(), take() and queued() belong to one thread, the owner's. The mutex guards the queue and the
// counters of its groups; a row's bytes belong to the worker that took the row until `finished`
// counts it, and all of a group to the owner once it is done.
class GroupDecoder {
 public:
  // `workers` 0: take() decodes in the owner's thread.
  GroupDecoder(const Dataset& dataset, std::uint64_t seed, int workers);
  // Returns as soon as each worker has finished its current row.
  ~GroupDecoder();
  GroupDecoder(const GroupDecoder&) = delete;
  GroupDecoder& operator=(const GroupDecoder&) = delete;

  void push(std::unique_ptr<SampleGroup> group);

  // The oldest group, every row tried. Waits as long as its slowest sample takes; the engine's
  // watchdog ends a run in which that never returns (a failed network disk).
  std::unique_ptr<SampleGroup> take();

  std::size_t queued() const;

 private:
  void stop();
  void work();
  SampleGroup* group_with_work() const;
  std::vector<std::int64_t> next_expected();

  const Dataset& dataset_;
  const std::uint64_t seed_;
  mutable std::mutex mutex_;
  std::condition_variable work_there_;
  std::condition_variable group_done_;
  std::deque<std::unique_ptr<SampleGroup>> queue_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace scalemark::data
