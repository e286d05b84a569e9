// Telemetry shows who or what disturbs a measurement, and where counters contradict each other.
// Pure: from telemetry[] to findings. Definitions and limits: docs/METRICS.md, "The machine during
// the window".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/monitoring/host.h"
#include "core/reporting/record/finding_kinds.h"
#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// A finding about the machine during the window of a point.
struct Disturbance {
  const FindingKind* kind = nullptr;
  std::string text;  // where, what and how much, against which limit
  std::optional<FindingPlace> place = std::nullopt;  // where there is one
};

// Tells of counters_disagree, throttled and shared, which repeat a measurement. At most one of each
// kind, with the first places and how many more there are. `hosts`: as in the report, for how many
// CPUs each has.
std::vector<Disturbance> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                         std::span<const monitoring::Host> hosts);

// Tells of findings that weaken a measurement and do not repeat it: steal up to the limit of
// shared, and others_unknown, where the machine was watched too briefly. As disturbances_of().
std::vector<Disturbance> doubts_of(std::span<const TelemetryRecord> telemetry,
                                   std::span<const monitoring::Host> hosts);

// All of them in one line, each with its code; empty without any.
std::string in_words(std::span<const Disturbance> disturbances);

// CPUs of others above which a machine with `cpus` CPUs that was observed for `seconds` counts as
// shared. `free`: cores that our ranks leave.
double foreign_load_limit(int cpus, double seconds, double free = 0);

// How long a machine with `cpus` CPUs must be watched, in seconds, until what clocks of 10 ms leave
// unsure is no more than 0.3 CPUs, or 1 % of them: what was watched for less may have hidden
// others. `free`: as above.
double least_observed_s(int cpus, double free = 0);

// CPUs that the hypervisor took: above the first limit they cost `with_care`, above the second one
// the machine counts as shared.
double steal_limit(int cpus, double seconds);
double most_steal(int cpus, double seconds);

}  // namespace scalemark::reporting
