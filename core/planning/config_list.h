// The built-in configurations, each with the time that it takes on a machine by its plan. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/planning/forecast.h"

namespace scalemark::planning {

struct ListedConfig {
  std::string name, command, about;
  std::string takes;  // "26 h", or why it cannot run there: "needs a GPU"
};

// In the order of builtin_configs().
std::vector<ListedConfig> listed_configs(const Surveyed& surveyed);

// configs/README.md: the list for a laptop of 2 cores and for a node of 8 GPUs.
std::string configs_page();

}  // namespace scalemark::planning
