// The options of a sweep beyond its points, which hold for all of it, and its lists of values, the
// axes of its cross product. They are read from raw values here; core/plan turns them into points.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/layers.h"
#include "core/settings/option.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

struct SweepSettings {
  std::vector<int> world_sizes;  // ascending; empty: none given, or all_ranks
  bool all_ranks = false;        // --world-sizes all: no smaller number
  StrongBy strong_by = StrongBy::kBatch;
  Placement placement = Placement::kFill;
  bool quick = false;
  bool thorough = false;
  std::optional<double> burn_in_hours;
  std::optional<int> repetitions;  // unset: the preset or the default decides
  std::optional<double> until_ci;  // relative half-width of the 95 % interval
  std::optional<double> max_time_s;
  std::optional<double> device_spread;  // relative standard deviation of healthy devices
  std::string tune;                     // name of the option; empty: none
  // The devices get these checks besides training: names of Check, comma between; empty: none.
  std::string checks;
  std::optional<double> sustain_s;  // seconds for which all GPUs of a node compute matrix products
  int retries = 1;
  bool allow_oom = false;
  bool fresh_process = false;
  std::optional<double> price_per_hour;  // the price of all ranks together
  bool resume = false;
  bool resume_anyway = false;
};

struct Axis {
  std::string option;
  std::vector<std::string> values;
  std::string origin;
};

struct SweepRequest : Remarks {
  SweepSettings sweep;
  RawSettings common;  // options of every point that are no axes; only given ones
  // Every axis that was given, also one with a single value, in the order of the option table.
  std::vector<Axis> axes;
  RawSettings own;  // the sweep's own options as text, defaults too
};

// `given` as merge_layers(kSweep) leaves it. Throws usage() for what --tune names and cannot be
// tuned.
SweepRequest read_sweep(const RawSettings& given);

// Whether --checks (its value as text) names it.
bool asks_for(const std::string& checks, Check check);

// The row of the option that --tune names, in any of its spellings. Throws usage() (64) for a name
// that is no option of a sweep, or none whose values are compared: one that takes no list, the
// workload (other work) and the world size (scaling has its own tables).
const Option& tuned_option(std::string_view name);

// Its row's `tune_values`; of a switch or a closed list of words the default first, then the
// others. Empty: there is no list that would fit every machine.
std::string default_tune_values(const Option& option);

}  // namespace scalemark::settings
