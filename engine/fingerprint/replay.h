// Repeats the same matrix products on one device: a device that computes right gives the same bits
// each time, as does every other device of its kind. METRICS.md, "The same bits".
#pragma once

#include <string>
#include <vector>

#include "core/machine/host.h"
#include "engine/device/device.h"
#include "engine/fingerprint/machine.h"
#include "report/record/records.h"

namespace scalemark::fingerprint {

// Returns all that bits depend on besides the work itself: the model of the device, its arithmetic
// and the versions of the libraries that compute.
std::string bits_method(const device::Device& device, const monitoring::Host& host);

// Returns a record of each precision that `device` has. At least three rounds, then as many as
// options.seconds allow, compute the product of two matrices that are the same on every machine;
// each result is compared with the first on the device, element by element. A record that fails has
// its reason. The process must be in its deterministic mode.
std::vector<reporting::ReplayRecord> replay_products(device::Device& device,
                                                     const monitoring::Host& host,
                                                     const MachineOptions& options);

}  // namespace scalemark::fingerprint
