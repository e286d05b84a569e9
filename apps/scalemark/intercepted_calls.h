// Intercepts calls from libraries to the C library: the linker looks for names in the program first
// (ld.so(8)). So a refused thread ends the process with our error and not in the library's own way
// (OpenMP ends with exit(1), half-made objects with std::terminate), and a library that ends the
// process (MKL does, with 2) cannot pass its code off as one of ours.
#pragma once

#include "core/base/threads.h"

namespace scalemark::cli {

// Called when a thread is refused; null: the caller of pthread_create() has to handle that.
ThreadShortageHook& on_thread_shortage();

// From now on until ending_is_ours() the process ends with 71 instead of 0, 1, 2 or a code that is
// not in docs/FAULTS.md; `report` prints a record and returns its exit code. The codes of faults
// are let through: MPI_Abort() ends with the one that we gave it.
void watch_process_end(ExitCode (*report)(const ErrorRecord&));

// From now on the process ends by main(): no code is judged any more.
void ending_is_ours();

}  // namespace scalemark::cli
