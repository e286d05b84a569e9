// Gives every rank the same model, and checks the sizes of messages. Shared by strategies of full
// replicas.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "engine/training/strategy.h"

namespace scalemark::training {

// Collective. As DistributedDataParallel's broadcasts: coalesced, 250 MiB at a time.
void broadcast_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                           const std::vector<at::Tensor>& tensors);

// Collective. Verifies shapes across ranks, then makes every rank's parameters rank 0's, and its
// buffers too where --broadcast-buffers says so.
void become_replicas(const StrategyInput& input);

// Throws configuration() for an invalid size.
std::int64_t bytes_of_mb(double mb, const char* option);

}  // namespace scalemark::training
