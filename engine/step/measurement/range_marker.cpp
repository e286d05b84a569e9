#include "engine/step/measurement/range_marker.h"

#include <cstdio>

namespace scalemark::measurement {

void RangeMarker::mark(Moment moment) {
  next_.mark(moment);
  switch (moment) {
    case Moment::kStepBegin:
      return micro_steps_ == 0 ? begin_whole_step() : begin_micro_step();
    case Moment::kOnDevice:
      return begin_phase("buffers");
    case Moment::kForwardBegin:
      return begin_phase("forward");
    case Moment::kForwardEnd:
      return begin_phase("backward");
    case Moment::kBackwardEnd:
      return end_micro_step();
    case Moment::kUpdateEnd:
      return begin_phase("parameters");
    case Moment::kStepEnd:
      return end_step();
    case Moment::kBatchReady:       // the range "data" includes copying to the device
    case Moment::kLastBucketReady:  // this comes on backward's thread, within another range
      return;
    case Moment::kWindowEnd:
      return end_whole_step();
  }
}

void RangeMarker::bucket_leaves(std::size_t i) {
  next_.bucket_leaves(i);
  char name[32];
  std::snprintf(name, sizeof name, "bucket %zu", i);
  ranges_.begin(name);
}

void RangeMarker::bucket_has_left() {
  ranges_.end();
  next_.bucket_has_left();
}

void RangeMarker::begin_micro_step() {
  if (micro_steps_done_ == 0) ranges_.begin_step(step_);
  begin_phase("data");
}

void RangeMarker::end_micro_step() {
  end_phase();
  if (++micro_steps_done_ == micro_steps_) begin_phase("optimizer");
}

void RangeMarker::end_step() {
  end_phase();
  ranges_.end();
  ++step_;
  micro_steps_done_ = 0;
}

void RangeMarker::begin_whole_step() {
  end_whole_step();
  ranges_.begin_step(step_++);
  in_whole_step_ = true;
}

void RangeMarker::end_whole_step() {
  if (in_whole_step_) ranges_.end();
  in_whole_step_ = false;
}

void RangeMarker::begin_phase(const char* name) {
  end_phase();
  ranges_.begin(name);
  in_phase_ = true;
}

void RangeMarker::end_phase() {
  if (in_phase_) ranges_.end();
  in_phase_ = false;
}

}  // namespace scalemark::measurement
