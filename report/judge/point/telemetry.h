// Makes telemetry[] from what each rank read of its machine during a window, and finds on which
// CPUs the ranks of a point could run. disturbances.h finds what of it disturbs a measurement.
// Pure. Definitions and limits: METRICS.md, "The machine during the window".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// The values that one rank reads over a window.
struct RankReadings {
  int rank = 0;
  std::string host, machine, cpu_group;
  std::vector<monitoring::SourceSummary> sources;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<RankReadings>& r) {
  a.values(r.rank, r.host, r.machine, r.cpu_group, r.sources);
}
std::vector<RankReadings> readings_of(std::span<const RankMeasurement> ranks);

// Lists what `ranks` read over the window of `point`, and for each host what only all ranks
// together show: ranks_cpus, the CPUs that its ranks use; other_cpus, the CPUs that others on the
// same machine use; sampler_cpu_share, what reading cost. Interfaces without traffic are left out.
// A control group is reported once: for the host where all of its ranks are in the same one, else
// for a rank in it. A rank's two counts of CPU time are reported where they contradict each other.
std::vector<TelemetryRecord> telemetry_of(const std::string& point,
                                          std::span<const RankReadings> ranks);

// kFiveTicks_s is five ticks of the kernel's clocks of 10 ms. count_tolerance() returns by how many
// CPUs two counts of `cpus` over `seconds` may differ without contradicting each other: five ticks,
// or 2 %.
inline constexpr double kFiveTicks_s = 0.05;
double count_tolerance(double cpus, double seconds);

// --- The CPUs on which ranks could run: how many there are for them, and whether they are kept
// apart.

// Returns how many whole CPUs the point's ranks on `host` have together: the CPUs of their
// affinities if all are known, else the host's own, and no more than a quota that all of them have.
// At least 1.
int usable_cpus(const PointRecord& point, const monitoring::Host& host);

// The first rank with fewer CPUs than threads, by its affinity or by the quota of its control
// groups.
struct CrowdedRank {
  int rank = 0;
  std::string cpus;  // the CPUs that it may use: "1 CPU (3)"
  int threads = 0;
};
std::optional<CrowdedRank> crowded_rank(const PointRecord& point);

// Writes "rank 0 to CPUs 0-1, rank 1 to CPUs 2-3". Returns nothing where the ranks of each host may
// use the same CPUs and prefer no memory.
std::optional<std::string> binding_of(const PointRecord& point);

}  // namespace scalemark::reporting
