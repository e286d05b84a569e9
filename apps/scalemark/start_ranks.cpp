#include "apps/scalemark/start_ranks.h"

#include "core/launching/environment.h"
#include "core/launching/local_launcher.h"

namespace scalemark::cli {

ExitCode start_ranks(const Invocation& invocation, const Settled& settled) {
  std::vector<std::string> arguments{"scalemark"};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  const launching::LaunchResult result =
      launching::launch_local({.plan = *settled.detection.node,
                               .arguments = std::move(arguments),
                               .environment = launching::snapshot_environment(),
                               .verbose = settled.settings.general.verbose});
  return static_cast<ExitCode>(result.exit_code);  // 128+n of a signal is no name of ours
}

}  // namespace scalemark::cli
