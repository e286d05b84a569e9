// Activation checkpointing (arXiv:1604.06174): a part of a network keeps nothing for backward but
// its input, and backward runs its forward again. Works as torch.utils.checkpoint with
// use_reentrant=False: autograd's graph stays as it is without, only the tensors that it saves are
// dropped and made again. So parameters get their gradients one by one, in the usual order, and
// whatever looks at the graph or waits for a gradient (c10d's reducer, hooks of a strategy) sees
// no difference. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace scalemark::workloads {

// Only the first pass does the work that is due once per batch, such as updating running
// statistics.
enum class Pass { kFirst, kAgain };

using Tensors = std::vector<at::Tensor>;

// Outputs from inputs; whatever else it reads must be the same in both passes. What it keeps for
// backward must go through autograd's SavedVariable, as all of torch's own nodes do it: what a node
// of ours keeps in another way stays.
using Part = std::function<Tensors(const Tensors& inputs, Pass pass)>;

// part(inputs, Pass::kFirst). In backward it runs once more, when the first tensor that it had
// saved is asked for, under the random state and the autocast mode of the first pass. Does not hold
// with double backward. Without gradients nothing is saved, and nothing runs again.
Tensors checkpointed(const Part& part, const Tensors& inputs);

}  // namespace scalemark::workloads
