#include "apps/scalemark/start_ranks.h"

#include "core/launching/environment.h"

namespace scalemark::cli {

launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals) {
  std::vector<std::string> arguments{"scalemark"};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  return launching::launch_local({.plan = *resolved.detection.node,
                                  .arguments = std::move(arguments),
                                  .environment = launching::snapshot_environment(),
                                  .verbose = resolved.settings.general.verbose},
                                 signals);
}

ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved) {
  launching::SignalScope signals;
  // ExitCode has no name for the 128+n of a signal.
  return static_cast<ExitCode>(start_ranks(invocation, resolved, signals).exit_code);
}

}  // namespace scalemark::cli
