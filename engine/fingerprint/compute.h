// Times calls in blocks to show what devices reach alone and together: matrix products, copies, and
// the all-reduce of as many bytes as a step of training exchanges.
#pragma once

#include <cstdint>
#include <functional>

#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "engine/process/rank_group.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

// A call that is repeated in blocks of equally many calls, on a device's timeline.
using Call = std::function<void()>;

struct BlockPlan {
  std::int64_t blocks = 2, calls = 1;  // `calls` is per block.
};

// Plans about 40 blocks in `seconds`; fewer, of one call each, where a call takes longer than a
// fortieth. `call_s` is the seconds of one call. Pure.
BlockPlan plan_blocks(double call_s, double seconds);

// Returns the seconds of one call after warming up with calls for a tenth of `seconds`: then memory
// is allocated, plans are made and clocks have risen.
double settled_call_s(device::Device& device, double seconds, const Call& call);

reporting::TimedCalls run_blocks(device::Device& device, const BlockPlan& plan, const Call& call);

// Does settled_call_s(), plan_blocks() and run_blocks(), in this order.
reporting::TimedCalls time_calls(device::Device& device, double seconds, const Call& call);

// --- Matrix products and copies show what the arithmetic and the memory of one device reach. Each
// function returns what METRICS.md, "The machine's fingerprint", defines; the caller adds host
// and model.

using reporting::FingerprintRecord;

// The device must have the precision. On a CPU the product, like the copy, uses
// at::get_num_threads() threads.
FingerprintRecord matrix_product(device::Device& device, settings::Precision precision,
                                 double seconds);

// Repeats the same products for `seconds`; the value is the rate over the second half. `continues`
// is asked every few seconds.
FingerprintRecord sustained_product(device::Device& device, settings::Precision precision,
                                    double seconds, const std::function<bool()>& continues);

// Copies between two arrays of `bytes` each, which must be larger than any cache.
FingerprintRecord memory_copy(device::Device& device, std::int64_t bytes, double seconds);

// Copies between pinned memory and a GPU. `what` is kHostToDevice or kDeviceToHost.
FingerprintRecord host_copy(device::Device& device, reporting::MachineRate what, std::int64_t bytes,
                            double seconds);

// Returns the side of the matrices: large enough that starting threads and kernels costs nothing,
// small enough that a product takes a small part of the time. Pure.
std::int64_t matrix_size(bool on_gpu, int threads);

// Collective over the group: makes calls of kAllReduce, kNodeAllReduce or kNodeAllToAll with
// `bytes` of float32 on each rank's device, back to back, over the backend of its payload. The
// value is the bus bandwidth of nccl-tests; a block lasts as long as on its slowest rank. Every
// rank gets the same value. Throws what a collective throws.
reporting::FingerprintRecord exchange(process::RankGroup& rank_group, reporting::MachineRate what,
                                      std::int64_t bytes, double seconds);

// Returns how many bytes are exchanged within a node: so many that latency does not matter.
std::int64_t bytes_within_node(bool on_gpu);

}  // namespace scalemark::fingerprint
