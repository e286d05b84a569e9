#include "core/launching/interruption.h"

#include <csignal>
#include <string>

namespace scalemark::launching {

ErrorRecord interruption(int signal, bool has_report) {
  ErrorRecord record;
  record.code = signal == SIGINT ? "E_INTERRUPTED" : "E_PREEMPTED";
  record.exit_code = signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kPreempted;
  record.domain = ErrorDomain::kLaunch;
  record.what = "stopped by signal " + std::to_string(signal) + " before the run was complete";
  if (has_report) record.hint = "report.json holds what was finished";
  return record;
}

}  // namespace scalemark::launching
