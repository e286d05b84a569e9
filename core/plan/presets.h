// A sweep's repetitions and their lengths, by default and with --quick, --thorough and --burn-in,
// and the measurements of its machines before its first block. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace scalemark::planning {

// An all-reduce of what a step exchanges: of the first point with the most ranks, without
// compression.
struct PlannedExchange {
  std::string backend;
  std::int64_t bytes = 0;  // each rank contributes so many
  std::string reason;      // why there is none; else empty
};
PlannedExchange exchange_of(const Plan& plan);

// Whether ranks measure their devices one after the other (--checks devices): on CPUs they share
// cores and memory. The plan must have a point.
bool devices_take_turns(const Plan& plan);

// The numbers of threads of the points that can run, each once, ascending; at least one.
std::vector<int> threads_of(const Plan& plan);

// Repetitions and lengths are these:
//
//   default     5 blocks; warm-up 20 steps and 2 s (10 s on a GPU), window 100 steps and 2 s
//   --quick     1 block within 60 s, runs of 10 s at most: warm-up of 1 s, window of 2 s and 100
//               steps, both cut to what is there; no intervals. What is trained: quick_network.h
//   --thorough  5 blocks (3 when time is short) within 20 minutes, windows up to 10 s; before them
//               the machine's fingerprint, 2 s for each of its measurements or 1/600 of the time
//   --burn-in   windows of 60 s (less, so that there are 10 blocks), until the hours are over
//
// A warm-up continues until step times no longer change, at most 5 times as long (--max-warmup),
// and within what a preset has for it.
//
// --repetitions, --iters, --warmup-iters and --min-time override a preset, --max-time its time. A
// preset keeps its time: runs are cut, down to kFewestSteps of warm-up and as many measured; a plan
// that does not fit even then is refused. The sweep corrects errors of the estimate while it runs
// (StopRule::deadline_s).

// A preset that cannot hold its time.
struct Overrun {
  std::string option;  // "quick"
  double limit_s = 0;
  double least_s = 0;       // the plan's time with every run at its shortest
  std::size_t longest = 0;  // the point whose runs need most of that time
  double longest_s = 0;
};

// Sets length and estimated_s of every point that can run, and stop, fingerprint_s, estimated_s and
// notes of the plan. Points, settings and sweep must be final. With an Overrun the plan must not
// run.
std::optional<Overrun> schedule(Plan& plan);

}  // namespace scalemark::planning
