// The visible GPUs as the CUDA driver itself shows them: name, UUID, memory, compute capability.
// For machines without NVML, such as containers that were given the driver's compute part alone.
// Makes no context and needs neither the CUDA runtime nor torch.
#pragma once

#include <string>

#include "core/monitoring/gpus.h"

namespace scalemark::monitoring {

// `visible_only` is set: these are the GPUs that CUDA_VISIBLE_DEVICES leaves, in CUDA's order.
// Never throws; `note` says why there are none, or what is missing.
GpuSurvey survey_through_cuda(const std::string& library);

}  // namespace scalemark::monitoring
