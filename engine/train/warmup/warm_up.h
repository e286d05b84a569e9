// The steps of one rank before its window. Definition: METRICS.md, "The window".
#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/plan.h"
#include "engine/train/window.h"

namespace scalemark::running {

struct Warmup {
  std::int64_t iterations = 0;
  double seconds = 0;                  // total time on this rank
  std::optional<double> first_step_s;  // empty: there was no step
  double step_s = 0;                   // the window's length is planned with it: see later_step_s()
  // Whether step times were steady at its end; known to rank 0 only. Absent where the length was
  // given in steps, or too few steps were timed.
  std::optional<bool> settled;
  bool stopped = false;  // an agreed stop came in between
};

// Runs for the given `length`, and then until step times are steady
// (core/statistics/steadiness/steady.h), at most until latest_warmup_s(). Rank 0's clock and step
// times decide, so that all ranks run equally many steps. Collective.
Warmup warm_up(const StepContext& context, const planning::RunLength& length);

// Returns a step's time at the end of the warm-up: the mean of its later steps; without those its
// first step's, lazy initialisation included; 0 (unknown) without any step.
double later_step_s(std::int64_t later_steps, double later_s, std::optional<double> first_step_s);

}  // namespace scalemark::running
