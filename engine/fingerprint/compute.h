// Matrix products and copies show what the arithmetic and the memory of one device reach. Each
// returns what docs/METRICS.md, "The machine's fingerprint", defines; host and model are left to
// the caller.
#pragma once

#include <cstdint>
#include <functional>

#include "core/reporting/record/records.h"
#include "core/settings/settings.h"
#include "engine/device/device.h"

namespace scalemark::fingerprint {

using reporting::FingerprintRecord;

// The device must have the precision. On a CPU with the threads that at::get_num_threads() tells,
// as the copy.
FingerprintRecord matrix_product(device::Device& device, settings::Precision precision,
                                 double seconds);

// The same products, held for `seconds`: the value is the rate over the second half. `goes_on` is
// asked every few seconds.
FingerprintRecord sustained_product(device::Device& device, settings::Precision precision,
                                    double seconds, const std::function<bool()>& goes_on);

// Between two arrays of `bytes` each, larger than any cache.
FingerprintRecord memory_copy(device::Device& device, std::int64_t bytes, double seconds);

// From pinned memory to a GPU.
FingerprintRecord host_to_device(device::Device& device, std::int64_t bytes, double seconds);

// The side of the matrices: large enough that starting threads and kernels costs nothing, small
// enough that a product takes a small part of the time. Pure.
std::int64_t matrix_size(bool on_gpu, int threads);

}  // namespace scalemark::fingerprint
