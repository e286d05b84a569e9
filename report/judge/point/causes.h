// Finds why the step of one run is as long as it is: causes with the seconds that each takes of it,
// faults before costs, each the largest first. Pure: from the numbers of the run to rows of
// cause_list.inc. docs/DIAGNOSIS.md lists them; METRICS.md, "Causes of a slow step", defines the
// seconds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/machine/host.h"
#include "report/record/records.h"

namespace scalemark::reporting {

// `findings` and `telemetry` hold those of this point, and may hold others.
struct CauseContext {
  std::span<const monitoring::Host> hosts;
  std::span<const TelemetryRecord> telemetry;
  std::span<const Finding> findings;
};

// Returns nothing for a run that is not ok, or whose steps have no length.
std::vector<CauseRecord> causes_of(const PointRecord& point, const CauseContext& context);

// A part of the mean step: a phase, the wait for slower ranks, the network.
struct StepPart {
  const char* name;
  double seconds = 0;
};

// Splits T into parts that sum to it, in the order of a step and without empty ones; one part where
// steps run as a whole. METRICS.md, "Steps".
std::vector<StepPart> step_parts(const PointRecord& point);

// Returns what of the step is neither computation, as far as all ranks need it, nor one of
// `causes`.
double unexplained_s(const PointRecord& point, std::span<const CauseRecord> causes);

}  // namespace scalemark::reporting
