// Keeps the moments that a step marks, and the buckets that leave, in their order.
#pragma once

#include <vector>

#include "engine/step/measurement/step_timer.h"

namespace scalemark::training {

struct Recorder final : measurement::StepMarker {
  std::vector<measurement::Moment> moments;
  std::vector<std::size_t> buckets;  // these have left
  bool in_bucket = false;
  void mark(measurement::Moment moment) override { moments.push_back(moment); }
  void bucket_leaves(std::size_t i) override {
    buckets.push_back(i);
    in_bucket = true;
  }
  void bucket_has_left() override { in_bucket = false; }
};

}  // namespace scalemark::training
