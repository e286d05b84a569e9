// A step's moments on the host's clock, for benchmarks that do not read them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

#include "engine/step/measurement/step_timer.h"

namespace scalemark::training {

using Clock = std::chrono::steady_clock;

struct ClockMarker final : measurement::StepMarker {
  std::array<Clock::time_point, 16> moments;
  void mark(measurement::Moment moment) override {
    moments[static_cast<std::size_t>(moment)] = Clock::now();
  }
};

}  // namespace scalemark::training
