// Steps under PyTorch's profiler (Kineto), recorded as Python's torch.profiler records them: with
// the same configuration, ranges of the same kind, and what it writes about the process groups.
// Knows nothing of files.
#pragma once

#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engine/running/window.h"

namespace scalemark::running {

using StepTrace = std::unique_ptr<torch::autograd::profiler::ProfilerResult>;

// One step with the profiler ready and not recording (a GPU's activities begin to be collected
// meanwhile), then `steps` recorded ones, as a plain continuation of the training. Collective where
// steps are. `distributed_info`: JSON. Null: an agreed stop came in between.
StepTrace trace_steps(const StepContext& context, std::int64_t steps,
                      const std::string& distributed_info);

}  // namespace scalemark::running
