// A rank reads its machine as long as it runs: its own CPU time, its control group, its GPU, and as
// the first rank of its machine CPUs, memory, disks and network. core/monitoring/telemetry reads;
// this chooses.
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/live/status.h"
#include "core/monitoring/telemetry/sampler.h"
#include "core/reporting/point/telemetry.h"
#include "engine/process/rank_context.h"

namespace scalemark::process {

// The sampler of this process. After RankContext::connect(), by the main thread; opens files and
// NVML. `context` must outlive it.
std::unique_ptr<monitoring::Sampler> open_telemetry(RankContext& context,
                                                    std::chrono::milliseconds period);

// The same sampler, for a measurement that begins: without earlier stretches. `leads_node`: whether
// this rank reads what all ranks of its machine share. Not within a timed region.
monitoring::Sampler& fresh_telemetry(RankContext& context, bool leads_node);

// The newest readings, for this rank's record: of its GPU, absent on a CPU; and of its machine,
// where the sampler reads what ranks share. `clock_s`: when, on the rank's clock.
using Latest = std::vector<monitoring::Sampler::Latest>;
std::optional<live::GpuStatus> latest_of_gpu(const Latest& latest);
live::NodeStatus latest_of_node(const Latest& latest, double clock_s, double sampler_cpu_s);

// How long this rank's machine must be watched until it can be told whether others use it, with a
// margin for the begin of a stretch: seconds. Cores that `ranks`, those that work on this machine,
// leave free shorten it.
double least_watched_s(int ranks);

// Rests until the machine was watched for so long since `since`, for `most_s` at most: who else
// uses it is seen as well in a moment in which nothing is measured.
void rest_until_watched(int ranks, std::chrono::steady_clock::time_point since,
                        double most_s = std::numeric_limits<double>::infinity());

// Returns this rank's readings, after end().
reporting::RankReadings readings(RankContext& context);

}  // namespace scalemark::process
