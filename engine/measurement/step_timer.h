// Where the time of a step goes: moments of a step on one timeline, turned into phases after the
// window. Knows clocks only through device::Device; nothing of ranks or reports.
#pragma once

namespace scalemark::measurement {

// In the order of one micro-step. Each phase is the time up to the next moment; under accumulation
// the moments from kStepBegin to kBackwardEnd repeat per micro-step.
enum class Moment {
  kStepBegin,        // -> data_wait
  kBatchReady,       // -> host_to_device
  kOnDevice,         // -> exposed communication: the buffer broadcast before forward
  kForwardBegin,     // -> forward
  kForwardEnd,       // -> backward
  kLastBucketReady,  // -> exposed communication; only in synchronised micro-steps with a reducer
  kBackwardEnd,      // -> optimizer, or the next micro-step
  kOptimizerEnd,     // -> other, until the next step begins
};

// What the train step calls. Marking never allocates, logs or synchronises.
class StepMarker {
 public:
  virtual ~StepMarker() = default;
  virtual void mark(Moment moment) = 0;
};

}  // namespace scalemark::measurement
