// How long a collective takes: a loop without pauses for throughput, as nccl-tests times it, and
// calls by themselves for latency. Every rank makes the same calls in the same number.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "engine/communicating/calls.h"
#include "engine/distributed/clock.h"
#include "engine/distributed/groups.h"

namespace scalemark::communicating {

struct Timing {
  std::int64_t calls = 0;       // of every kind, warm-up too
  std::int64_t iterations = 0;  // of the loop
  double time_s = 0;            // of one of its calls, on this rank
  // Holds the slowest rank's seconds of each isolated call, which begins as all ranks leave a
  // barrier.
  std::vector<double> slowest_s;
};

// Collective over the ranks of `control`. `barrier`: over the same connections as `call`, so that
// the ranks leave it nearly together.
// `between` is called by all ranks alike, between the parts and after each call that takes long: it
// may end the timing by throwing on all of them.
Timing time_call(const Call& call, const Call& barrier, distributed::ControlGroup& control,
                 const std::function<void()>& between,
                 const distributed::Clock& clock = distributed::real_clock());

}  // namespace scalemark::communicating
