// Settings may assume this of the visible GPUs, by the driver's list of all GPUs. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/machine/gpus.h"
#include "core/settings/machine.h"

namespace scalemark::cli {

struct CudaVariables {
  std::optional<std::string> visible_devices;  // CUDA_VISIBLE_DEVICES
  std::optional<std::string> device_order;     // CUDA_DEVICE_ORDER
};

// `count` GPUs, with name and compute capability where they are certain: not when the driver sees
// another number of them, and not when GPUs differ while CUDA is free to sort them by speed.
std::vector<settings::Gpu> view_gpus(int count, const monitoring::GpuSurvey& survey,
                                     const CudaVariables& variables);

}  // namespace scalemark::cli
