#include "engine/running/engine_api.h"

#include <torch/version.h>

#include "build_stamp.h"
#include "engine/running/sweep_run.h"
#include "engine/running/train_run.h"

extern "C" const scalemark::running::EngineApi* scalemark_engine_api() {
  static constexpr scalemark::running::EngineApi api{
      .stamp = {.abi = scalemark::running::kEngineAbi, .git_commit = SCALEMARK_GIT_COMMIT},
      .torch_version = TORCH_VERSION,
      .train =
          [](const scalemark::running::RunRequest& request) {
            return scalemark::running::train(request);
          },
      .sweep =
          [](const scalemark::running::SweepRequest& request) {
            return scalemark::running::sweep(request);
          },
  };
  return &api;
}
