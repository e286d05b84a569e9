// Where --fused-layers has a meaning.
#pragma once

#include "core/catalogue/workload.h"
#include "core/settings/settings.h"

namespace scalemark::settings {

// Whether there are fused layers for `workload` on this device and in this layout.
bool has_fused_layers(const Settings& settings, const catalogue::Workload& workload);

}  // namespace scalemark::settings
