#include "engine/api/engine_api.h"

#include <torch/version.h>

#include "build_stamp.h"
#include "engine/communicating/comm_run.h"
#include "engine/fingerprint/measure_run.h"
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
      .measure =
          [](const scalemark::fingerprint::MeasureRequest& request) {
            return scalemark::fingerprint::measure(request);
          },
      .comm =
          [](const scalemark::communicating::CommRequest& request) {
            return scalemark::communicating::comm(request);
          },
  };
  return &api;
}
