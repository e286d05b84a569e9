// Which machines the ranks run on.
#pragma once

#include <vector>

#include "core/monitoring/host.h"
#include "engine/running/session.h"

namespace scalemark::running {

// One entry per machine, in rank order; empty on ranks above 0. Collective over the session.
std::vector<monitoring::Host> survey_hosts(Session& session);

}  // namespace scalemark::running
