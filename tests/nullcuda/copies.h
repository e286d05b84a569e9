// Copies of the null device. Those with the host move bytes; those within the device move none
// beyond a few KiB, as kernels compute nothing.
#pragma once

#include "streams.h"

namespace nullcuda {

// Moves the bytes; reports a source that was changed since the copy was put into its stream.
void do_copy(const DeferredCopy& copy);

}  // namespace nullcuda
