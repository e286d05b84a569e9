// sweep --fresh-process: new ranks for each block of repetitions, all in one report.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/settle_sweep.h"
#include "core/base/exit_code.h"

namespace scalemark::cli {

// Starts this node's ranks once per block until the sweep is over; each start is a session that
// adds one block. Throws configuration() (78) where another launcher owns the ranks.
ExitCode run_in_fresh_blocks(const Invocation& invocation, const SettledSweep& settled);

}  // namespace scalemark::cli
