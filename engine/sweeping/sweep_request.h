// `scalemark sweep` asks this of the engine. Torch-free.
#pragma once

#include "core/planning/plan.h"
#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::sweeping {

struct SweepRequest {
  process::RunRequest run;
  settings::Settings settings;  // of one point, for what all points share
  planning::Plan plan;          // members are assigned anew when the ranks have met
};

}  // namespace scalemark::sweeping
