// Settings, ranks and plan of `comm` together, as resolve_sweep.h does for a sweep.
#pragma once

#include <map>
#include <string>

#include "apps/scalemark/command_line.h"
#include "apps/scalemark/resolve_command.h"
#include "core/planning/collectives/collective_plan.h"
#include "core/settings/comm_settings.h"

namespace scalemark::cli {

struct ResolvedComm {
  ResolvedCommand base;         // of the process; what it says of training has no meaning
  settings::CommSettings comm;  // what was not given is decided
  planning::CollectivePlan plan;
  std::map<std::string, std::string> texts;   // of every option of comm, as in --dry-run
  std::string settings_json;                  // for the report: the process's and comm's
  std::map<std::string, std::string> common;  // settings that must be equal on all ranks
};

// Reports like resolve_command(): notes (rank 0), then each problem on stderr before it throws.
ResolvedComm resolve_comm(const Invocation& invocation);

}  // namespace scalemark::cli
