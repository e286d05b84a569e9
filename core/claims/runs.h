// Which runs test published tables: configurations that name them under `claims`, else sweeps made
// of their rows. Pure.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/published/names.h"

namespace scalemark::claims {

struct PlannedRun {
  std::string command;  // sweep | comm
  // Options as typed, without dashes: {"workload", "resnet50"}, {"world_sizes", "1,8"}.
  std::vector<std::pair<std::string, std::string>> options;
  std::string about;  // what it tests, in a sentence

  // The words behind `scalemark`.
  std::vector<std::string> words() const;
  // The same as a configuration file.
  std::string config_text() const;
};

// Each configuration once; a table that is no cross product of GPUs and precisions becomes several
// sweeps. `precision`: only this one of a table's; empty: all. Empty where nothing can be tested.
std::vector<PlannedRun> runs_for(const std::vector<published::NamedTable>& tables,
                                 const std::string& precision = "");

}  // namespace scalemark::claims
