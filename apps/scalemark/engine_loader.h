// Loads torch's libraries, then the engine: the first step that needs torch.
#pragma once

#include "apps/scalemark/torch_folder.h"
#include "engine/api/engine_api.h"

namespace scalemark::cli {

// Throws Error (71) when a library is missing, does not load, or is of another build.
const api::EngineApi& load_engine(const TorchFolder& torch);

}  // namespace scalemark::cli
