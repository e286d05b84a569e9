// The interfaces by which a running step reports to listeners: its moments on one timeline, which
// become phases after the window (window_timer.h), and its gradient buckets as they are sent. Knows
// nothing of devices, ranks or reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace scalemark::measurement {

// The moments in the order of one micro-step. Each phase is the time up to the next moment; under
// accumulation the moments from kStepBegin to kBackwardEnd repeat per micro-step.
enum class Moment : unsigned char {
  kStepBegin,        // -> data_wait; the only moment of a step that runs as a whole
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
inline constexpr int kMomentsPerMicroStep = 8;  // the most possible, including the end of the step
inline constexpr int kMomentsAfterUpdate = 1;   // the most possible additional ones, per step

// The train step calls these. Marking never allocates, logs or synchronises.
class StepMarker {
 public:
  virtual ~StepMarker() = default;
  virtual void mark(Moment moment) = 0;

  // Called before and after gradient bucket `i` of a backward is handed to its backend, on the
  // thread that hands it over. Only a profiler's ranges use these.
  virtual void bucket_leaves(std::size_t /*i*/) {}
  virtual void bucket_has_left() {}
};

// Makes both calls, also where handing the bucket over throws.
class BucketLeaving {
 public:
  BucketLeaving(StepMarker& marker, std::size_t i) : marker_(marker) { marker_.bucket_leaves(i); }
  ~BucketLeaving() { marker_.bucket_has_left(); }
  BucketLeaving(const BucketLeaving&) = delete;
  BucketLeaving& operator=(const BucketLeaving&) = delete;

 private:
  StepMarker& marker_;
};

// Is informed of gradient buckets as they are sent. A measured window has no observer.
class BucketObserver {
 public:
  virtual ~BucketObserver() = default;

  // Called in this order for each bucket of a backward. Here its gradients are complete; the result
  // is a number for the next two calls.
  virtual std::size_t ready(std::int64_t bytes, std::string_view collective) = 0;
  // Here the collective is handed to the backend (later, where overlap is off).
  virtual void sent(std::size_t number) = 0;
  // Here the collective is done. Any thread may call it, perhaps after the next step began; on a
  // GPU the current stream has waited for the collective.
  virtual void done(std::size_t number) = 0;
};

}  // namespace scalemark::measurement
