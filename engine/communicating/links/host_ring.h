// The links between neighbouring hosts of a run, measured once at its beginning.
#pragma once

#include <functional>
#include <string>

#include "engine/process/rank_context.h"
#include "engine/process/run_report.h"

namespace scalemark::communicating {

// Collective over the session: the first rank of each host with that of the next one, in a ring,
// over `backend`; within 2 s where a link carries 1 Mb/s. Rank 0 writes links and findings into
// `report`. Does nothing on one host. `between`: called between two measurements.
void report_host_ring(process::RankContext& context, const std::string& backend,
                      process::RunReport& report, const std::function<void()>& between);

}  // namespace scalemark::communicating
