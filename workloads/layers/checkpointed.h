// Activation checkpointing (arXiv:1604.06174): a part of a network keeps only its input for
// backward, and backward runs its forward again. It works like torch.utils.checkpoint with
// use_reentrant=False: autograd's graph is the same as without it, and only the tensors that the
// graph saves are dropped and made again. So parameters get their gradients one by one, in the
// usual order, and code that reads the graph or waits for a gradient (c10d's reducer, hooks of a
// strategy) sees no difference. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace scalemark::workloads {

// Only the first pass does the work that is done once per batch, such as updating running
// statistics.
enum class Pass { kFirst, kAgain };

using Tensors = std::vector<at::Tensor>;

// Computes outputs from inputs; all else that it reads must be the same in both passes. What it
// keeps for backward must go through autograd's SavedVariable, as in all of torch's own nodes; what
// one of our nodes keeps otherwise is not dropped.
using Part = std::function<Tensors(const Tensors& inputs, Pass pass)>;

// Returns part(inputs, Pass::kFirst). Backward runs the part once more when it needs the first of
// its saved tensors, under the random state and the autocast mode of the first pass. Double
// backward is not supported. Without gradients nothing is saved, and nothing runs again.
Tensors checkpointed(const Part& part, const Tensors& inputs);

}  // namespace scalemark::workloads
