// Binds this process to the CPUs and the memory node of its place (core/placement/places.h).
#pragma once

#include "core/placement/places.h"

namespace scalemark::launching {

// Binds the calling thread and all that it starts from then on: call it before there are others.
// Throws system_error() (71) where the kernel refuses.
void bind_process(const placement::Place& place);

}  // namespace scalemark::launching
