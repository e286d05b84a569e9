// Several ranks on this node without a launcher from outside: this program, started once per rank.
#pragma once

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/resolve_command.h"
#include "core/base/exit_code.h"
#include "core/launching/local_launcher.h"

namespace scalemark::cli {

// Returns when every rank has ended; its code is that of the initiating fault.
ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved);

// One of several consecutive starts: signals that arrive between them stay in `signals`.
launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals);

}  // namespace scalemark::cli
