// Chooses the network that `sweep --quick` measures where nobody names one. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/settings/machine.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::planning {

// Settings that --quick chose have this origin.
inline constexpr const char* kOfQuick = "quick";

// Returns it as axes of that origin: on CPUs ResNet-50 of 64 px in batches of 8, whose steps take
// some tenths of a second and send as much as those of 224 px; on GPUs that of 224 px in the batch
// of its recipe, halved until it fits into `memory_bytes` by the estimate (absent: unknown), and in
// amp-bf16, else fp32. Axes that are in `given`, and a batch beside another size, are left out.
std::vector<settings::Axis> axes_of_quick(const settings::Machine& machine, bool on_gpus,
                                          std::optional<std::uint64_t> memory_bytes,
                                          const std::vector<settings::Axis>& given);

}  // namespace scalemark::planning
