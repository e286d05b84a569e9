// Settings must know these plain numbers of the machine, so that resolving them is pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/placement/topology.h"
#include "core/settings/precision_support.h"

namespace scalemark::settings {

struct Gpu {
  std::string name;                             // empty: unknown
  std::optional<ComputeCapability> capability;  // absent: unknown
  std::string pci = {};                         // address; empty: unknown
  std::optional<int> memory_node = {};          // read where ranks are bound
};

struct Machine {
  std::string cpu_flags;              // the "flags" line of /proc/cpuinfo
  int cores = 1;                      // that this process may use
  std::vector<Gpu> gpus;              // visible ones
  placement::Topology topology = {};  // read where ranks are bound
};

// How many ranks there are, once a launcher or the launch options have said so. The two differ in
// what they count where processes are not one per training rank (processes.h).
struct RankCount {
  int world_size = 1;        // training ranks; of a launch: its processes
  int local_world_size = 1;  // processes of the node that has most
};

// These fill the placeholders of --output.
struct Place {
  std::string host = "host";
  std::string job = "none";  // run id or job number
  std::string date;          // UTC, "20260102T030405Z"
};

struct Surroundings {
  Machine machine;
  std::optional<RankCount> ranks;  // absent: from --nproc-per-node and --nnodes
  Place place;
};

}  // namespace scalemark::settings
