// Facts about tensors that MPI needs, and checks that refuse some. Knows no ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <vector>

#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// Throws configuration() (78) for types that MPI's plugin does not carry.
DataType type_of(const at::Tensor& tensor);

// Returns SUM for AVG: see averages(). Throws configuration() (78) for all but SUM, AVG, MIN, MAX.
Operation operation_of(const c10d::ReduceOp& op);
bool averages(const c10d::ReduceOp& op);

// Returns the only tensor of a list, as c10d passes them. Throws configuration() (78) where there
// are more, or where the tensor is on a GPU, sparse, or has gaps.
at::Tensor& only(std::vector<at::Tensor>& tensors);
void require_dense(const at::Tensor& tensor);
// Throws for other tensors, since some collectives put their result in another order than the
// tensors' memory.
void require_contiguous(const at::Tensor& tensor);

// joined() copies the tensors one after the other into new memory; the next function copies them
// back.
at::Tensor joined(const std::vector<at::Tensor>& tensors);
void split_into(const at::Tensor& whole, std::vector<at::Tensor>& tensors);

}  // namespace scalemark::mpi
