// The GPUs of this machine as NVIDIA's management library shows them. The library is loaded when
// asked, never linked: the program starts and runs without a driver. Knows nothing of CUDA or
// torch.
#pragma once

#include <string>
#include <vector>

#include "core/monitoring/host.h"

namespace scalemark::monitoring {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

struct GpuSurvey {
  std::vector<Gpu> gpus;
  std::string note;  // why nothing, or not everything, is known; empty: all was read
};

// Everything the driver tells. Never throws for a missing library, symbol or answer: what could not
// be read is absent, and `note` says what and why.
GpuSurvey survey_gpus(const std::string& library = kNvmlLibrary);

}  // namespace scalemark::monitoring
