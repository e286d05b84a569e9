// Dropout on a CPU with masks from a counter (kernels/dropout.h): drawn in vector code, by any
// number of threads the same, one bit an element. Knows no network.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/dropout.h"

namespace scalemark::workloads {

// One mask: its key is the next 64 random bits of torch's default generator, so that seeds,
// checkpoints and activation checkpointing hold for it as for torch's own dropout. `probability`,
// which is rounded to 2^-16, is at least 0 and below 1 (else c10::Error). 0 draws nothing.
kernels::Dropout next_dropout(double probability);

// Room for the bits of a mask of that many rows; not defined where nothing is dropped.
at::Tensor mask_for(const kernels::Dropout& dropout, std::int64_t rows, std::int64_t columns);

// at::dropout in training: `x` of any shape, float or double on a CPU. Differentiable once. The
// mask's bits are kept for backward: reading them is 1/32 of the gradient's own bytes, drawing them
// again would take as long as reading the gradient.
at::Tensor fast_dropout(const at::Tensor& x, double probability);

}  // namespace scalemark::workloads
