// A step tells those who listen while it runs: its moments on one timeline, which become phases
// after the window (window_timer.h), and its gradient buckets on their way. Knows nothing of
// devices, ranks or reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalemark::measurement {

// In the order of one micro-step. Each phase is the time up to the next moment; under accumulation
// the moments from kStepBegin to kBackwardEnd repeat per micro-step.
enum class Moment : unsigned char {
  kStepBegin,        // -> data_wait; the only one of a step that runs as a whole
  kBatchReady,       // -> host_to_device
  kOnDevice,         // -> exposed communication: the buffer broadcast before forward
  kForwardBegin,     // -> forward
  kForwardEnd,       // -> backward
  kLastBucketReady,  // -> exposed communication; only in synchronised micro-steps with a reducer
  kBackwardEnd,      // -> optimizer, or the next micro-step
  kUpdateEnd,        // -> exposed communication; only where parameters travel after the update
  kStepEnd,          // -> other, until the next step begins
  kWindowEnd,        // closes the window; not marked by the step
};
inline constexpr int kMomentsPerMicroStep = 8;  // with the end of the step, at most
inline constexpr int kMomentsAfterUpdate = 1;   // more at most, per step

// The train step calls these. Marking never allocates, logs or synchronises.
class StepMarker {
 public:
  virtual ~StepMarker() = default;
  virtual void mark(Moment moment) = 0;

  // Before and after gradient bucket `i` of a backward is handed to its backend, on the thread that
  // does it. Only the ranges of a profiler look at it.
  virtual void bucket_leaves(std::size_t /*i*/) {}
  virtual void bucket_has_left() {}
};

// Both, also where handing it over throws.
class BucketLeaving {
 public:
  BucketLeaving(StepMarker& marker, std::size_t i) : marker_(marker) { marker_.bucket_leaves(i); }
  ~BucketLeaving() { marker_.bucket_has_left(); }
  BucketLeaving(const BucketLeaving&) = delete;
  BucketLeaving& operator=(const BucketLeaving&) = delete;

 private:
  StepMarker& marker_;
};

// Who wants to know of gradient buckets on their way. Nobody does in a measured window.
class BucketObserver {
 public:
  virtual ~BucketObserver() = default;

  // In this order for each bucket of a backward. Its gradients are complete; returned is a number
  // for the next two calls:
  virtual std::size_t ready(std::int64_t bytes, std::string_view collective) = 0;
  // the collective is handed to the backend (later than that where overlap is off):
  virtual void sent(std::size_t number) = 0;
  // it is done. From any thread, perhaps after the next step began; on a GPU the current stream is
  // one that has waited for it.
  virtual void done(std::size_t number) = 0;
};

}  // namespace scalemark::measurement
