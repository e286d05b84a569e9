// Reductions over the ranks' values: pure, one result from all inputs in rank order.
#pragma once

#include <nccl.h>

#include <cstddef>
#include <vector>

namespace nullnccl {

// A built-in operation, or a sum of values that are multiplied first: each rank by its own factor.
struct Reduction {
  ncclRedOp_t op = ncclSum;
  bool multiplies = false;
  double factor = 1;
};

std::size_t size_of(ncclDataType_t type);  // bytes; 0: no type
bool can_reduce(ncclDataType_t type);      // the 8-bit floats can only be moved
double scalar_at(const void* address, ncclDataType_t type);

// output[i] = op over inputs[rank][i]. 16-bit floats are added in single precision and rounded
// once. The output must not be an input.
void reduce(const std::vector<const void*>& inputs, void* output, std::size_t count,
            ncclDataType_t type, ncclRedOp_t op);

// values[i] *= factor, rounded to the type.
void multiply(void* values, std::size_t count, ncclDataType_t type, double factor);

}  // namespace nullnccl
