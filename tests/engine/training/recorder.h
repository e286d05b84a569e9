// Keeps the moments that a step marks, in their order.
#pragma once

#include <vector>

#include "engine/measurement/step_timer.h"

namespace scalemark::training {

struct Recorder final : measurement::StepMarker {
  std::vector<measurement::Moment> moments;
  void mark(measurement::Moment moment) override { moments.push_back(moment); }
};

}  // namespace scalemark::training
