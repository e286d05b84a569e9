// The options of `comm` resolved: settings, ranks and plan together.
#pragma once

#include <map>
#include <string>

#include "apps/scalemark/rank_command.h"
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

}  // namespace scalemark::cli
