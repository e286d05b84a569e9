// Times a call that is made again and again, in blocks of equally many, on a device's timeline.
// Knows nothing of what is called.
#pragma once

#include <cstdint>
#include <functional>

#include "core/reporting/point/fingerprint.h"
#include "engine/device/device.h"

namespace scalemark::fingerprint {

using Call = std::function<void()>;

struct BlockPlan {
  std::int64_t blocks = 2, calls = 1;  // calls of each block
};

// About 40 blocks in `seconds`; fewer, of one call each, where a call takes longer than a fortieth.
// `call_s`: seconds of one call. Pure.
BlockPlan plan_blocks(double call_s, double seconds);

// Seconds of one call, once a tenth of `seconds` has gone by with calls: memory is there, plans are
// made, clocks have risen.
double settled_call_s(device::Device& device, double seconds, const Call& call);

reporting::TimedCalls run_blocks(device::Device& device, const BlockPlan& plan, const Call& call);

// All three, one after the other.
reporting::TimedCalls time_calls(device::Device& device, double seconds, const Call& call);

}  // namespace scalemark::fingerprint
