// How many repetitions and how long: the defaults, --quick, --accept and --burn-in. Pure. Private
// to this room.
//
//   default     5 blocks; warm-up 20 steps and 2 s (10 s on a GPU), window 100 steps and 2 s
//   --quick     1 block within 60 s: warm-up at most 1 s, window at most 2 s, both cut to what is
//               there; no intervals
//   --accept    5 blocks (3 when time is short) within 20 minutes, windows up to 10 s
//   --burn-in   windows of 60 s (less, so that there are 10 blocks), until the hours are over
//
// --repetitions, --iters, --warmup-iters and --min-time win over a preset.
#pragma once

#include <string>
#include <vector>

#include "core/planning/plan.h"

namespace scalemark::planning {

// Sets length and estimated_s of every point that can run, and stop, estimated_s and notes of the
// plan. Points, settings and sweep must stand.
void schedule(Plan& plan);

}  // namespace scalemark::planning
