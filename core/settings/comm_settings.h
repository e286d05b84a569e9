// `scalemark comm` measures what these lists ask for, one for each axis. Plain data, read from raw
// values; core/plan turns it into points.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/collectives/collective.h"
#include "core/settings/layers.h"
#include "core/settings/problem.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

inline constexpr const char* kDefaultMessageSizes = "1KiB..64MiBx4";

// Every list in the order typed, each value once. An empty one: none was given, and the plan
// decides.
struct CommSettings {
  std::vector<collectives::Collective> collectives;
  std::vector<collectives::MessageSize> sizes;  // empty where only sizes_of was given
  std::vector<std::string> sizes_of;            // workloads
  std::vector<collectives::DataType> dtypes;
  std::vector<std::string> backends;  // empty: every one that serves the device
  std::vector<collectives::Via> vias;
  std::vector<bool> in_place;  // empty: as training calls each collective
  std::vector<bool> overlap_compute, congestion;
  std::vector<int> world_sizes;  // ascending; empty: all ranks
  std::vector<Placement> placements;
  int repetitions = 5;
  int retries = 1;     // a disturbed run is repeated so often
  bool pairs = false;  // links instead of collectives
  PairBy pair_by = PairBy::kNode;
  std::string checks;  // SweepSettings::checks explains it
};

struct CommRequest : Remarks {
  CommSettings comm;
  RawSettings common;  // options of the process: launching, device, output, ...; only given ones
  RawSettings own;     // values of CommSettings as text, defaults too
};

// `given` as merge_layers(kComm) leaves it. All problems are found in one pass.
CommRequest read_comm(const RawSettings& given);

// One flat JSON object, keys being option names, lists as lists, sizes as texts ("4KiB").
std::string to_json(const CommSettings& comm);

// The same with the settings of the process that `comm` has options for, and "command": all that
// the report of a run says it was made with.
std::string to_json(const Settings& process, const CommSettings& comm);

// The same pairs, values as JSON text: what preflight compares key by key.
std::map<std::string, std::string> flat_settings(const Settings& process, const CommSettings& comm);

}  // namespace scalemark::settings
