// How long must a parallel run be before it beats one rank, start-up included? Pure; knows nothing
// of points.
#pragma once

#include <cstdint>
#include <optional>

namespace scalemark::statistics {

struct Startup {
  double setup_s = 0;          // rendezvous, model, data, first step
  double samples_per_sec = 0;  // afterwards
};

// The first number of parallel steps of `step_s` seconds after which the parallel run has processed
// its samples earlier than the baseline processes as many. 0: it is ahead from the start. Absent:
// it never is, or starts ahead and falls behind (its throughput is not above the baseline's).
std::optional<std::int64_t> break_even_steps(const Startup& baseline, const Startup& parallel,
                                             double step_s);

}  // namespace scalemark::statistics
