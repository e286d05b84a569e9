// Which rank of a machine does what is done once per machine.
#pragma once

#include "engine/process/rank_context.h"

namespace scalemark::process {

// Whether this rank is the first of its node among all ranks of the run.
bool leads_node(const RankContext& context);

}  // namespace scalemark::process
