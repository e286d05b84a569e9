// Bandwidth of a collective from its size and time, as nccl-tests defines it. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "core/collectives/words.h"

namespace scalemark::collectives {

// busbw / algbw: makes collectives and numbers of ranks comparable with the speed of a link. Absent
// for a barrier, which has no data. world_size >= 1; of one rank nothing travels, and the factor of
// what is shared or reduced to all is 0.
//   all-reduce                                        2 (n - 1) / n
//   all-gather, reduce-scatter, all-to-all, gather    (n - 1) / n
//   broadcast, reduce, send-recv (a ring shift)       1
// Source: nccl-tests, doc/PERFORMANCE.md.
std::optional<double> bus_factor(Collective collective, int world_size);

struct Bandwidth {
  double algbw_GBps = 0, busbw_GBps = 0;  // 1e9 bytes per second
};

// `bytes` as nccl-tests counts them, `time_s` of one call, above 0. Absent for a barrier.
std::optional<Bandwidth> bandwidth(Collective collective, int world_size, std::int64_t bytes,
                                   double time_s);

}  // namespace scalemark::collectives
