// This machine as settings need it.
#pragma once

#include "core/monitoring/host.h"
#include "core/settings/machine.h"

namespace scalemark::monitoring {

settings::Machine machine_of(const Host& host);

// Without network cards and versions: what resolving settings waits for.
settings::Machine this_machine();

}  // namespace scalemark::monitoring
