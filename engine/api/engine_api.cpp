#include "engine/api/engine_api.h"

#include "build_stamp.h"
#include "engine/comm/comm_run.h"
#include "engine/fingerprint/measure_run.h"
#include "engine/sweep/sweep_run.h"
#include "engine/train/train_run.h"

extern "C" {

// Exported, so that the linker keeps it.
extern const char scalemark_engine_torch[];
const char scalemark_engine_torch[] = SCALEMARK_BUILT_WITH_TORCH SCALEMARK_TORCH_BUILD;

}  // extern "C"

extern "C" const scalemark::api::EngineApi* scalemark_engine_api() {
  static constexpr scalemark::api::EngineApi api{
      .stamp = {.abi = scalemark::api::kEngineAbi, .git_commit = SCALEMARK_GIT_COMMIT},
      .train = scalemark::running::train,
      .sweep = scalemark::sweeping::sweep,
      .measure = scalemark::fingerprint::measure,
      .comm = scalemark::communicating::comm,
  };
  return &api;
}
