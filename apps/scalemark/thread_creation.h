// Every thread of the process, of whichever library, is started through this program's own
// pthread_create, so that a limit ends it with our error and not in the library's own way: OpenMP
// ends with exit(1), half-made objects with std::terminate.
#pragma once

#include "core/base/thread_limit.h"

namespace scalemark::cli {

// Called when a thread is refused; null: whoever asked has to see to it.
ThreadShortageHook& on_thread_shortage();

}  // namespace scalemark::cli
