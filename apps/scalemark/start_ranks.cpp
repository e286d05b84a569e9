#include "apps/scalemark/start_ranks.h"

#include <cstdlib>

#include "apps/scalemark/machine_probe.h"
#include "core/launching/environment.h"

namespace scalemark::cli {
namespace {

constexpr const char* kSameSession = "SCALEMARK_SAME_SESSION";

launching::Environment environment_of_ranks(const settings::Variables& variables) {
  launching::Environment environment = launching::snapshot_environment();
  environment.erase(kSameSession);
  for (const auto& [name, value] : variables) {
    if (value == settings::kUnset) {
      environment.erase(name);
    } else {
      environment[name] = value;
    }
  }
  return environment;
}

}  // namespace

launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals, bool same_session) {
  std::vector<std::string> arguments{"scalemark"};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  auto environment = environment_of_ranks(resolved.settings.launch.environment);
  environment[kStartDate] = resolved.date;
  if (same_session) environment[kSameSession] = "1";
  return launching::launch_local({.plan = *resolved.detection.node,
                                  .arguments = std::move(arguments),
                                  .environment = std::move(environment),
                                  .verbose = resolved.settings.general.verbose},
                                 signals);
}

ExitCode start_ranks(const Invocation& invocation, const ResolvedCommand& resolved) {
  launching::SignalScope signals;
  // ExitCode has no name for the 128+n of a signal.
  return static_cast<ExitCode>(start_ranks(invocation, resolved, signals).exit_code);
}

bool goes_on_with_session() { return std::getenv(kSameSession) != nullptr; }

}  // namespace scalemark::cli
