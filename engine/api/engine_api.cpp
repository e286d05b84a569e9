#include "engine/api/engine_api.h"

#include "build_stamp.h"
#include "core/base/elf_notes.h"
#include "engine/comm/comm_run.h"
#include "engine/fingerprint/measure_run.h"
#include "engine/sweep/sweep_run.h"
#include "engine/train/train_run.h"

SCALEMARK_NOTE torch_note{scalemark::kTorchNote.type, SCALEMARK_TORCH_BUILD};

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
