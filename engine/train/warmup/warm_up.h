// The steps of one rank before its window. Definition: docs/METRICS.md, "Window".
#pragma once

#include <cstdint>
#include <optional>

#include "core/plan/plan.h"
#include "engine/train/window.h"

namespace scalemark::running {

struct Warmup {
  std::int64_t iterations = 0;
  double seconds = 0;                  // all of it, on this rank
  std::optional<double> first_step_s;  // empty: there was none
  double step_s = 0;                   // the window's length is planned with it: see later_step_s()
  // Whether step times had settled at its end; known to rank 0 only. Absent where the length was
  // asked for in steps, or too few steps were timed.
  std::optional<bool> settled;
  bool stopped = false;  // an agreed stop came in between
};

// Runs as long as `length` says, and then until step times have settled
// (core/statistics/steadiness/steady.h), at the latest at latest_warmup_s(). Rank 0's clock and
// step times decide, so that all ranks run as many steps. Collective.
Warmup warm_up(const StepContext& context, const planning::RunLength& length);

// A step's time at the end of the warm-up: the mean of its later steps; without those its first
// step's, lazy initialisation included; 0 (unknown) without any step.
double later_step_s(std::int64_t later_steps, double later_s, std::optional<double> first_step_s);

}  // namespace scalemark::running
