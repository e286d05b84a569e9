// --trace: the last part of a run, after all that it measures and saves. Steps run under PyTorch's
// profiler, and each rank writes a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/settings/settings.h"
#include "engine/process/rank_group.h"
#include "engine/train/point.h"
#include "engine/train/window.h"

namespace scalemark::running {

struct TraceRequest {
  std::filesystem::path folder;  // this run's traces go there; empty: none is wanted
  std::int64_t steps = 0;
};

// Returns DIR/ID for --trace DIR; empty without it.
std::filesystem::path trace_folder(const settings::Settings& settings, const std::string& run_id);

// Collective over the group: traces steps, and writes this rank's file unless an agreed stop comes
// in between. Sets outcome.not_saved on the group's rank 0 where a rank could not write its file.
void trace_run(process::RankGroup& rank_group, const StepContext& context,
               const TraceRequest& request, PointOutcome& outcome);

}  // namespace scalemark::running
