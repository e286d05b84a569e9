// doctor --measure: the fingerprint of this machine, in a process that has set nothing up yet.
#pragma once

#include "engine/fingerprint/measure_request.h"

namespace scalemark::fingerprint {

// Never throws. The all-reduce is named with its reason: one process has no peer.
MeasuredMachine measure(const MeasureRequest& request) noexcept;

}  // namespace scalemark::fingerprint
