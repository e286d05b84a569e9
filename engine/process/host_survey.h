// Which machines the ranks run on.
#pragma once

#include <vector>

#include "core/monitoring/host.h"
#include "engine/process/rank_context.h"

namespace scalemark::process {

// One entry per machine, in rank order; empty on ranks above 0. Collective over the session.
std::vector<monitoring::Host> survey_hosts(RankContext& context);

}  // namespace scalemark::process
