// The same matrix products again and again on one device: a device that computes right gives the
// same bits each time, and the bits of every other device of its kind. docs/METRICS.md, "The same
// bits".
#pragma once

#include <string>
#include <vector>

#include "core/machine/host.h"
#include "engine/device/device.h"
#include "engine/fingerprint/machine.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

// Everything that bits depend on beside the work itself: the model of the device, its arithmetic
// and the versions of the libraries that compute.
std::string bits_method(const device::Device& device, const monitoring::Host& host);

// A record of each precision that `device` has: at least three rounds, then as many as
// options.seconds allow, of a product of two matrices that are the same on every machine, each
// result compared with the first on the device, element by element. One that fails has its reason.
// The process must be in its deterministic mode.
std::vector<reporting::ReplayRecord> replay_products(device::Device& device,
                                                     const monitoring::Host& host,
                                                     const MachineOptions& options);

}  // namespace scalemark::fingerprint
