// Norms of whole matrices, for optimizers that look at layers while a rank holds pieces of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace scalemark::training {

// Collective. [rows, pieces] -> [rows, pieces]: from the 2-norms of a rank's pieces of matrices, in
// the order of its optimizer's parameters, to those of the matrices that they belong to. Empty
// where every rank holds whole matrices.
using WholeNorms = std::function<at::Tensor(const at::Tensor& norms)>;

}  // namespace scalemark::training
