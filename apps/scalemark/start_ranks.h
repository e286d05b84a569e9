// Several ranks on this node without a launcher from outside: this program, started once per rank.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/rank_command.h"
#include "core/base/error.h"
#include "core/launching/local_launcher.h"

namespace scalemark::cli {

// Returns when every rank has ended; its code is that of the initiating fault. The ranks have this
// process's environment with the variables of --env (`resolved.settings`).
ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved);

// One of several consecutive starts: signals that arrive between them stay in `signals`.
// `same_session`: the ranks go on with the session of the start before.
launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals, bool same_session = false);

// Tells a rank what start_ranks() was told.
bool goes_on_with_session();

}  // namespace scalemark::cli
