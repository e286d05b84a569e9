#include "apps/scalemark/start_ranks.h"

#include <cstdlib>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/machine_probe.h"
#include "core/base/atomic_file.h"
#include "core/launching/environment.h"
#include "core/launching/resources.h"

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

// The libraries of the ranks, and mpirun, make files there as well.
void settle_temporary_place(const ResolvedCommand& resolved) {
  const bool has_socket = !resolved.detection.node->mpirun.empty();
  const auto place = launching::temporary_place(has_socket ? launching::kLongestSocketPath : 0);
  if (place.note.empty()) return;
  if (!resolved.settings.general.quiet) print_note(place.note);
  ::setenv("TMPDIR", place.path.c_str(), 1);
}

}  // namespace

launching::LaunchResult start_ranks(const Invocation& invocation, const ResolvedCommand& resolved,
                                    launching::SignalScope& signals, bool same_session) {
  std::vector<std::string> arguments{"scalemark"};
  arguments.insert(arguments.end(), invocation.arguments.begin(), invocation.arguments.end());
  settle_temporary_place(resolved);
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
  const launching::LaunchResult result = start_ranks(invocation, resolved, signals);
  const bool has_verdict = result.exit_code <= static_cast<int>(ExitCode::kUnsure);
  if (has_verdict && result.stdout_error != 0) {
    throw file_failure("write the result to", "stdout", result.stdout_error);
  }
  // ExitCode has no name for the 128+n of a signal.
  return static_cast<ExitCode>(result.exit_code);
}

bool goes_on_with_session() { return std::getenv(kSameSession) != nullptr; }

}  // namespace scalemark::cli
