// The steps from options to a rank that the engine's commands share.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/resolve_command.h"
#include "apps/scalemark/torch_folder.h"
#include "core/reporting/output/output_folder.h"
#include "engine/process/run_request.h"

namespace scalemark::cli {

// Throws no_input (66) for a file or folder that options name and that is not there.
void refuse_missing_inputs(const settings::Settings& settings);

// Rank 0, or the launcher that will start it: the process that writes the run's files.
bool holds_rank_0(const launching::Detection& detection);

// Before anything is launched or loaded; the engine's rank 0 makes the folder. Throws
// cannot_create() (73).
void refuse_used_output(const ResolvedCommand& resolved, reporting::ExistingFolder existing);

// The run request of this process as a rank.
process::RunRequest rank_request(const Invocation& invocation, const ResolvedCommand& resolved);

}  // namespace scalemark::cli
