// The machine during a window: from what each rank read to telemetry[]. What of it disturbs a
// measurement: disturbances.h. Pure. Definitions and limits: docs/METRICS.md, "The machine during
// the window".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// One rank reads this over a window.
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

// What `ranks` read over the window of `point`, and of each host what only all ranks together tell:
// ranks_cpus, CPUs that its ranks use; other_cpus, what others on the same machine use;
// sampler_cpu_share, what reading cost. Interfaces without traffic are left out. A control group is
// told once: of the host where all of its ranks are in the same one, else of a rank that is in it.
// The two counts of a rank's CPU time are told of it where they contradict each other.
std::vector<TelemetryRecord> telemetry_of(const std::string& point,
                                          std::span<const RankReadings> ranks);

// Five ticks of the kernel's clocks of 10 ms, and the CPUs by which two counts of `cpus` over
// `seconds` may differ without contradicting each other: as much, or 2 %.
inline constexpr double kFiveTicks_s = 0.05;
double count_tolerance(double cpus, double seconds);

}  // namespace scalemark::reporting
