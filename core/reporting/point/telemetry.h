// The machine during a window: from what each rank read to telemetry[], and what of it disturbs a
// measurement. Pure. Definitions and limits: docs/METRICS.md, "The machine during the window".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/monitoring/host.h"
#include "core/reporting/record/finding_kinds.h"
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
std::vector<TelemetryRecord> telemetry_of(const std::string& point,
                                          std::span<const RankReadings> ranks);

// A finding that repeats a measurement: throttled or shared.
struct Disturbance {
  const FindingKind* kind = nullptr;
  std::string text;  // where, what and how much, against which limit
  std::optional<FindingPlace> place = std::nullopt;  // where there is one
};

// At most one of each kind, with the first places and how many more there are. `hosts`: as in the
// report, for how many CPUs each has.
std::vector<Disturbance> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                         std::span<const monitoring::Host> hosts);

// All of them in one line, each with its code; empty without any.
std::string in_words(std::span<const Disturbance> disturbances);

// CPUs of others, and CPUs that the hypervisor took, above which a machine with `cpus` CPUs that
// was observed for `seconds` counts as shared. `free`: cores that our ranks leave.
double foreign_load_limit(int cpus, double seconds, double free = 0);
double steal_limit(int cpus, double seconds);

}  // namespace scalemark::reporting
