// How fast a group of ranks adds up as many bytes as a step of training exchanges. Knows no
// workload.
#pragma once

#include <cstdint>

#include "core/reporting/record/records.h"
#include "engine/process/rank_group.h"

namespace scalemark::fingerprint {

// Collective over the group: all-reduces of `bytes` of float32 on its device, back to back, over
// the backend of its payload. The value is the bus bandwidth of nccl-tests; a block lasts as long
// as on its slowest rank. Every rank gets the same value. Throws what a collective throws.
reporting::FingerprintRecord all_reduce(process::RankGroup& rank_group, std::int64_t bytes,
                                        double seconds);

}  // namespace scalemark::fingerprint
