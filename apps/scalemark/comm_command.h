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

// --dry-run prints this (collective_plan_table.cpp): the plan and the settings with their origins.
std::string collective_plan_table(const ResolvedComm& resolved);

// {"plan": {...}, "settings": {option: text}, "origins": {option: origin}}
std::string collective_plan_document(const ResolvedComm& resolved);

}  // namespace scalemark::cli
