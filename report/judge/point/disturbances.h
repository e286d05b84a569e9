// Telemetry shows who or what disturbs a measurement, and where counters contradict each other.
// Pure: from telemetry[] to findings. Definitions and limits: docs/METRICS.md, "The machine during
// the window".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/finding_kinds.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// Tells of counters_disagree, throttled and shared, which repeat a measurement, without a point. At
// most one of each kind, with the first places and how many more there are; its place is there
// where it is the only one. `hosts`: as in the report, for how many CPUs each has.
std::vector<Finding> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                     std::span<const monitoring::Host> hosts);

// Tells of findings that weaken a measurement and do not repeat it: steal up to the limit of
// shared, and others_unknown, where the machine was watched too briefly. As disturbances_of().
std::vector<Finding> doubts_of(std::span<const TelemetryRecord> telemetry,
                               std::span<const monitoring::Host> hosts);

// All of them in one line, each with its code; empty without any.
std::string in_words(std::span<const Finding> disturbances);
std::vector<std::string> codes_of(std::span<const Finding> disturbances);

// Gives findings of a report that an earlier version wrote their values, by its telemetry, and what
// was measured of machines the codes that its text tells of.
void complete_values(Report& report);

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
