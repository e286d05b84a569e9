// The CPUs that a process may use, and how they lie. Plain records: core/monitoring reads them.
#pragma once

#include <vector>

namespace scalemark::placement {

// A CPU is what the kernel schedules on: a hardware thread. `core` is the lowest number among the
// CPUs of one physical core, also where this process may not use that one.
struct Cpu {
  int id = 0;
  int core = 0;
  int package = 0;  // socket
  int node = 0;     // of memory (NUMA)
};

struct Topology {
  std::vector<Cpu> cpus;  // in the affinity mask, which a cgroup's cpuset limits, too
};

}  // namespace scalemark::placement
