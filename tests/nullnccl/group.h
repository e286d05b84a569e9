// ncclGroupStart to ncclGroupEnd on one thread: what is issued in between begins together at its
// end.
#pragma once

#include "tests/nullnccl/communicator.h"

namespace nullnccl {

void begin_group();
ncclResult_t end_group();

// At once, or at the end of the group that is open on this thread.
ncclResult_t issue(Communicator& communicator, const Operation& operation);
void end_abort_of(Communicator& communicator);

}  // namespace nullnccl
