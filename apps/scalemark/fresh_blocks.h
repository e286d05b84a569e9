// sweep --fresh-process, and --env with several values: new ranks for each block of repetitions, or
// for each environment in it, all in one report.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/sweep_command.h"
#include "core/base/error.h"
#include "report/keep/output_folder.h"

namespace scalemark::cli {

// Starts this node's ranks once per block and environment until the sweep is over; each block is a
// session. Throws configuration() (78) where another launcher owns the ranks, and leaves the output
// folder as it was. `existing`: what to do with an output folder that holds something.
ExitCode run_in_fresh_blocks(const Invocation& invocation, const ResolvedSweep& resolved,
                             reporting::ExistingFolder existing);

}  // namespace scalemark::cli
