// Calls that are timed in blocks show what devices reach by themselves and together: matrix
// products, copies, and the all-reduce of as many bytes as a step of training exchanges.
#pragma once

#include <cstdint>
#include <functional>

#include "core/settings/settings.h"
#include "engine/device/device.h"
#include "engine/process/rank_group.h"
#include "report/judge/point/fingerprint.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

// A call is made again and again, in blocks of equally many, on a device's timeline.
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

// Matrix products and copies show what the arithmetic and the memory of one device reach. Each
// returns what docs/METRICS.md, "The machine's fingerprint", defines; host and model are left to
// the caller.

using reporting::FingerprintRecord;

// The device must have the precision. On a CPU with the threads that at::get_num_threads() tells,
// as the copy.
FingerprintRecord matrix_product(device::Device& device, settings::Precision precision,
                                 double seconds);

// The same products, held for `seconds`: the value is the rate over the second half. `continues` is
// asked every few seconds.
FingerprintRecord sustained_product(device::Device& device, settings::Precision precision,
                                    double seconds, const std::function<bool()>& continues);

// Between two arrays of `bytes` each, larger than any cache.
FingerprintRecord memory_copy(device::Device& device, std::int64_t bytes, double seconds);

// `what`: kHostToDevice or kDeviceToHost, between pinned memory and a GPU.
FingerprintRecord host_copy(device::Device& device, reporting::MachineRate what, std::int64_t bytes,
                            double seconds);

// The side of the matrices: large enough that starting threads and kernels costs nothing, small
// enough that a product takes a small part of the time. Pure.
std::int64_t matrix_size(bool on_gpu, int threads);

// Collective over the group: calls of kAllReduce or kNodeAllReduce, or of kNodeAllToAll, with
// `bytes` of float32 on each rank's device, back to back, over the backend of its payload. The
// value is the bus bandwidth of nccl-tests; a block lasts as long as on its slowest rank. Every
// rank gets the same value. Throws what a collective throws.
reporting::FingerprintRecord exchange(process::RankGroup& rank_group, reporting::MachineRate what,
                                      std::int64_t bytes, double seconds);

// So many bytes are exchanged within a node: on a GPU enough that latency does not matter.
std::int64_t bytes_within_node(bool on_gpu);

}  // namespace scalemark::fingerprint
