// What an exception means that torch, CUDA, NCCL or Gloo threw: by its type where they have one,
// else by the texts that they use. Knows no error_store: why a peer was lost is found elsewhere.
#pragma once

#include <exception>
#include <string>

#include "core/base/error.h"

namespace scalemark::distributed {

enum class Meaning { kOutOfMemory, kGpuFault, kPeerLost, kOther };

// Memory first, whoever was refused it (cuBLAS, or NCCL in the midst of a collective), then faults
// of the GPU, then a peer or the store that is gone or silent.
Meaning meaning_of(const std::exception& exception);

// What ends a rank by this exception: ours as it is, E_OUT_OF_MEMORY (80), E_GPU_FAULT (84),
// E_PEER_LOST (69), or E_BUG (70) for all else.
ErrorRecord record_of(const std::exception& exception);

// Its first line, without c10's stack trace and without the secret in the keys that it may quote.
std::string one_line(const std::exception& exception);

}  // namespace scalemark::distributed
