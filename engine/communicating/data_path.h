// The way that a collective's data takes decides which bandwidth to expect of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/collectives/bandwidth.h"
#include "core/monitoring/host.h"
#include "core/planning/collectives/collective_plan.h"
#include "engine/process/rank_context.h"

namespace scalemark::communicating {

struct KnownMachines {
  std::vector<monitoring::Host> hosts;
  std::vector<int> node_of_rank;
  std::optional<double> memory_GBps;  // measure_memory()
  std::string memory_disturbed = {};  // what used the machines meanwhile; empty: nothing
};

// Collective over the session, about 0.3 s or until it is known whether others use the machines
// (least_watched_s()), three times as long where they do: all ranks copy between buffers larger
// than caches at the same time. memory_GBps: the sum over a node's ranks, read and written bytes
// added, in 1e9 bytes per second; of the slowest node. The same on all ranks, as rank 0 judges it
// by its `machines.hosts`.
void measure_memory(process::RankContext& context, KnownMachines& machines);

// Whether the data of a collective passes the hosts' memory.
bool passes_memory(const collectives::DataPath& path);

// Takes the slowest host and GPU; where a host has several network interfaces, its fastest one.
collectives::DataPath data_path(const planning::CollectivePoint& point, settings::DeviceKind device,
                                const KnownMachines& machines);

}  // namespace scalemark::communicating
