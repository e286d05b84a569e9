// Where the time of a step goes: moments of a step on one timeline, turned into phases after the
// window (phases.h). Knows nothing of devices, ranks or reports.
#pragma once

#include <cstddef>

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

}  // namespace scalemark::measurement
