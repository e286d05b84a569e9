// On which CPUs the ranks of a point could run: how many there are for them, and whether they are
// kept apart. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/monitoring/host.h"
#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// Whole CPUs that the point's ranks on `host` have together: what their affinities leave, where all
// told it, else the host's own; no more than a quota that all of them have. At least 1.
int usable_cpus(const PointRecord& point, const monitoring::Host& host);

// The first rank with fewer CPUs than threads, by its affinity or by the quota of its control
// groups.
struct CrowdedRank {
  int rank = 0;
  std::string cpus;  // that it may use: "1 CPU (3)"
  int threads = 0;
};
std::optional<CrowdedRank> crowded_rank(const PointRecord& point);

// "rank 0 to CPUs 0-1, rank 1 to CPUs 2-3"; absent where the ranks of each host may use the same
// CPUs and prefer no memory.
std::optional<std::string> binding_of(const PointRecord& point);

}  // namespace scalemark::reporting
