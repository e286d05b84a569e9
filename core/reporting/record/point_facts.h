// Values of points, hosts and times that several tables and checks need and no record holds. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/monitoring/host.h"
#include "core/reporting/record/records.h"

namespace scalemark::reporting {

// Waits for data that counted, mean over steps and ranks: d of docs/METRICS.md. 0 without ranks;
// absent where a rank has no phases.
std::optional<double> counted_data_wait_s(const PointRecord& point);

// T = wall_s / iterations. Absent where one of them is missing (imported reports).
std::optional<double> step_time_s(const PointRecord& point);

// Half of the 95 % interval within the run by its rate: of one run alone, its uncertainty is at
// least this. Absent without an interval.
std::optional<double> within_run_share(const PointRecord& point);

// Training ranks that each process holds: one, unless all are replicas in one process.
int ranks_per_process(const PointRecord& point);

// Whether its ranks exchanged anything: several that are no replicas of their own (solo).
bool has_exchange(const PointRecord& point);

// Whether its ranks are replicas of their own, several at once.
bool is_solo(const PointRecord& point);

// Whether its ranks exchange in some steps only, and run apart between them.
bool skips_exchanges(const PointRecord& point);

std::string sample_unit(const std::string& workload);  // "images"; "samples" when unknown

// The first run of a group that is ok. Null where there is none.
const PointRecord* first_run(std::span<const PointRecord> points, const std::string& group);

// Null where no host has that name.
const monitoring::Host* find_host(std::span<const monitoring::Host> hosts,
                                  const std::string& hostname);

// Seconds since 1970 of "2026-01-02T03:04:05[.678]Z"; absent for anything else.
std::optional<double> seconds_of(const std::string& utc);

}  // namespace scalemark::reporting
