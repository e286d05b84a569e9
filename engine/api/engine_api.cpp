#include "engine/api/engine_api.h"

#include <torch/version.h>

#include "build_stamp.h"
#include "engine/running/train_run.h"
#include "engine/sweeping/sweep_run.h"

extern "C" const scalemark::api::EngineApi* scalemark_engine_api() {
  static constexpr scalemark::api::EngineApi api{
      .stamp = {.abi = scalemark::api::kEngineAbi, .git_commit = SCALEMARK_GIT_COMMIT},
      .torch_version = TORCH_VERSION,
      .train =
          [](const scalemark::running::TrainRequest& request) {
            return scalemark::running::train(request);
          },
      .sweep =
          [](const scalemark::sweeping::SweepRequest& request) {
            return scalemark::sweeping::sweep(request);
          },
  };
  return &api;
}
