// MPI has to know this of tensors, and refuses some. Knows no ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// Throws configuration() (78) for types that MPI's plugin does not carry.
DataType type_of(const at::Tensor& tensor);

// SUM for AVG: see averages(). Throws configuration() (78) for all but SUM, AVG, MIN, MAX.
Operation operation_of(const c10d::ReduceOp& op);
bool averages(const c10d::ReduceOp& op);

// The only tensor of a list, as c10d passes them. Throws configuration() (78) where there are more,
// or where the tensor is on a GPU, sparse, or has gaps.
at::Tensor& only(std::vector<at::Tensor>& tensors);
void require_dense(const at::Tensor& tensor);
// Some collectives lay their result in another order than the tensors' memory.
void require_contiguous(const at::Tensor& tensor);

// The tensors one after the other in new memory, and back.
at::Tensor joined(const std::vector<at::Tensor>& tensors);
void split_into(const at::Tensor& whole, std::vector<at::Tensor>& tensors);

}  // namespace scalemark::mpi
