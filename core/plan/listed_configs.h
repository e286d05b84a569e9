// The time and memory that a configuration, given or built-in, takes on a machine, found without
// starting anything: by the plan of its command, made for ranks of one machine. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan/estimates.h"
#include "core/settings/command.h"
#include "core/settings/layers.h"
#include "core/settings/machine.h"
#include "core/settings/problem.h"

namespace scalemark::planning {

// A machine as plans see it.
struct Surveyed {
  settings::Machine machine;
  AvailableMemory memory;                               // its `ranks` are not read
  std::map<std::string, std::string> missing_backends;  // backends that the program lacks, and why
};

struct Forecast {
  std::vector<settings::Problem> problems;  // with any, the members below are unknown
  double estimated_s = 0;                   // by the plan, right within a factor of 3 or so
  bool breaks_preset = false;               // a preset has less time than its runs need at least
  std::size_t runs = 0;                     // one repetition of a sweep has so many
  // The largest run surely needs this share of the memory that a rank has there.
  double memory_share = 0;
  bool fits_memory() const { return memory_share <= 1; }
  std::vector<std::string> backends;  // comm can measure these
};

// Forecasts `train`, `sweep` or `comm` with these options (merge_layers).
Forecast forecast(settings::Command command, const settings::RawSettings& raw,
                  const Surveyed& surveyed);

// A built-in configuration, with the time that it takes on a machine by its plan.
struct ListedConfig {
  std::string name, command, about;
  std::string takes;  // "26 h", or why it cannot run there: "needs a GPU"
};

// The configurations in the order of builtin_configs().
std::vector<ListedConfig> listed_configs(const Surveyed& surveyed);

// configs/README.md: the list for a laptop of 2 cores and for a node of 8 GPUs.
std::string configs_page();

}  // namespace scalemark::planning
