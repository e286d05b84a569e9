// Gives every rank the same model. Shared by strategies of which each rank has all of it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <vector>

#include "engine/training/strategy.h"

namespace scalemark::training {

// Collective. As DistributedDataParallel's broadcasts: coalesced, 250 MiB at a time.
void broadcast_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                           const std::vector<at::Tensor>& tensors);

// Collective. Each tensor by a broadcast of its own, in place: for few large ones.
void broadcast_each_from_rank_0(const c10::intrusive_ptr<c10d::ProcessGroup>& group,
                                const std::vector<at::Tensor>& tensors);

// Collective. Verifies shapes across ranks, then makes every rank's parameters rank 0's, and its
// buffers too where --broadcast-buffers says so.
void start_alike(const StrategyInput& input);

}  // namespace scalemark::training
