// Finds in telemetry[] what disturbs a measurement, and counters that contradict each other. Pure:
// from telemetry[] to findings. Definitions and limits: METRICS.md, "The machine during the
// window".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/finding_kinds.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// Finds counters_disagree, throttled and shared, for which a measurement is repeated. The findings
// name no point. There is at most one of each kind, with the first places and the number of others;
// a single place is also the finding's place. `hosts` are those of the report, whose numbers of
// CPUs are used.
std::vector<Finding> disturbances_of(std::span<const TelemetryRecord> telemetry,
                                     std::span<const monitoring::Host> hosts);

// Finds what weakens a measurement without repeating it: steal up to the limit of shared, and
// others_unknown, where the machine was watched too briefly. The arguments are those of
// disturbances_of().
std::vector<Finding> doubts_of(std::span<const TelemetryRecord> telemetry,
                               std::span<const monitoring::Host> hosts);

// Joins the findings into one line, each with its code; empty without any.
std::string in_words(std::span<const Finding> disturbances);
std::vector<std::string> codes_of(std::span<const Finding> disturbances);

// For a report of an earlier version, computes the values of findings from telemetry, and the codes
// of what disturbed measurements of machines from their texts.
void complete_values(Report& report);

// If others use more CPUs than this, a machine with `cpus` CPUs that was observed for `seconds`
// counts as shared. `free`: cores that our ranks leave.
double foreign_load_limit(int cpus, double seconds, double free = 0);

// Returns how long, in seconds, a machine with `cpus` CPUs must be watched until the error of
// clocks of 10 ms is at most 0.3 CPUs, or 1 % of them. In a shorter time others may go unseen.
// `free`: as above.
double least_observed_s(int cpus, double free = 0);

// CPUs taken by the hypervisor: above the first limit the verdict is `with_care`, above the second
// one the machine counts as shared.
double steal_limit(int cpus, double seconds);
double most_steal(int cpus, double seconds);

}  // namespace scalemark::reporting
