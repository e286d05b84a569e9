// Sums and extremes of 16-bit floats, for which MPI has no operations. Knows no MPI.
#pragma once

#include "engine/mpi/communicator.h"

namespace scalemark::mpi {

// Computes inout[i] = in[i] (operation) inout[i], each result rounded once to the nearest value of
// `type`, which is kFloat16 or kBFloat16. A NaN on either side gives a NaN.
void combine_float16(DataType type, Operation operation, const void* in, void* inout,
                     std::int64_t n);

}  // namespace scalemark::mpi
