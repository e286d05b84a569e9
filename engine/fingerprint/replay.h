// The same matrix products again and again on one device: a device that computes right gives the
// same bits each time, and the bits of every other device of its kind. docs/METRICS.md, "The same
// bits".
#pragma once

#include <string>

#include "core/monitoring/host.h"
#include "core/reporting/record/records.h"
#include "core/settings/closed_words.h"
#include "engine/device/device.h"
#include "engine/fingerprint/machine.h"

namespace scalemark::fingerprint {

// Everything that bits depend on beside the work itself: the model of the device, its arithmetic
// and the versions of the libraries that compute.
std::string bits_method(const device::Device& device, const monitoring::Host& host);

// At least three rounds, then as many as `seconds` allow: a product of two matrices that are the
// same on every machine, each result compared with the first on the device, element by element.
// The process must be in its deterministic mode. Sets method, rounds, wrong, first_wrong and digest
// of `record`. Throws what torch throws.
void replay_product(device::Device& device, const monitoring::Host& host,
                    settings::Precision precision, const MachineOptions& options,
                    reporting::ReplayRecord& record);

}  // namespace scalemark::fingerprint
