// `scalemark train` asks this of the engine. Torch-free.
#pragma once

#include "core/settings/settings.h"
#include "engine/process/run_request.h"

namespace scalemark::running {

struct TrainRequest {
  process::RunRequest run;
  settings::Settings settings;  // resolved
};

}  // namespace scalemark::running
