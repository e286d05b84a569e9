// Which machines the ranks run on.
#pragma once

#include <string>
#include <vector>

#include "core/monitoring/host.h"
#include "engine/process/rank_context.h"

namespace scalemark::process {

// One entry per machine, in rank order; empty on ranks above 0. Collective over the session.
std::vector<monitoring::Host> survey_hosts(RankContext& context);

// --bind divides the CPUs that all ranks of a machine may use: throws configuration() (78) where a
// launcher has given them different ones. `given_cpus`: those of this rank before it was bound;
// empty: it was not, and nothing is compared. Collective over all ranks.
void refuse_bound_by_launcher(RankContext& context, const std::string& given_cpus);

}  // namespace scalemark::process
