// NCCL as a backend of process groups. Knows only the device that its group names.
#pragma once

#include "engine/distributed/backend.h"

namespace scalemark::cuda {

const distributed::BackendProvider& nccl();

}  // namespace scalemark::cuda
