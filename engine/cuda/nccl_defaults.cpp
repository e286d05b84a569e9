#include "engine/cuda/nccl_defaults.h"

#include <c10/util/env.h>

namespace scalemark::cuda {

// Uses torch's function, since torch's threads read the environment under the same lock.
void set_nccl_defaults() {
  for (const auto& [name, value] : kNcclDefaults) {
    c10::utils::set_env(name, value, /*overwrite=*/false);
  }
}

}  // namespace scalemark::cuda
