// A rank reads its machine while it trains: its own CPU time, its GPU, and as the first rank of its
// machine CPUs, quota and network. core/monitoring/telemetry reads; this chooses.
#pragma once

#include <memory>

#include "core/monitoring/telemetry/sampler.h"
#include "core/reporting/point/telemetry.h"
#include "engine/process/rank_context.h"

namespace scalemark::process {

// After RankContext::connect(). Opens files and NVML: not within a timed region.
std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context, bool leads_node);

// Returns this rank's readings, after end().
reporting::RankReadings readings(RankContext& context, const monitoring::Sampler& sampler);

}  // namespace scalemark::process
