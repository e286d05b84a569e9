// Looks at this machine for what settings must know of it. Loads no torch, and the driver's
// management library only where there are GPUs.
#pragma once

#include <string>

#include "core/settings/layers.h"
#include "core/settings/machine.h"

namespace scalemark::cli {

struct ProbedMachine {
  settings::Machine machine;
  std::string cpu_name;
  int gpus_without_cuda_part =
      0;  // visible, but this program was built without libscalemark_cuda.so
};

ProbedMachine probe_machine();

// How CPUs and GPUs lie, where `raw` asks for ranks to be bound.
void probe_topology(const settings::RawSettings& raw, settings::Machine& machine);

// The built-in launcher passes its own date to its ranks. With the time of each of several starts,
// the ranks of one sweep would write into folders of their own.
inline constexpr const char* kStartDate = "SCALEMARK_START_DATE";

// `job`: the run id when one was given, else the launcher's job number, else "none". `date`: now,
// of a rank its launcher's.
settings::Place probe_place(const std::string& given_run_id);

// A plan for GPUs can be made on a laptop or a login node. Returns what is said of it; empty: there
// is nothing to assume.
std::string assume_gpus(const settings::RawSettings& raw, settings::Machine& machine);

}  // namespace scalemark::cli
