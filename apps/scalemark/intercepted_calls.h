// Calls of libraries that come to this program before the C library: it stands before all libraries
// where the linker looks for a name (ld.so(8)). So a limit of threads ends the process with our
// error and not in the library's own way (OpenMP ends with exit(1), half-made objects with
// std::terminate), and a library that ends the process (MKL does, with 2) cannot pass its code off
// as one of ours.
#pragma once

#include "core/base/threads.h"

namespace scalemark::cli {

// Called when a thread is refused; null: whoever asked has to see to it.
ThreadShortageHook& on_thread_shortage();

// From now on until ending_is_ours() an end with 0, 1, 2 or a code that is not in docs/FAULTS.md is
// 71; `report` prints a record and returns its exit code. The faults' codes are let through:
// MPI_Abort() ends with the one that we gave it.
void watch_process_end(ExitCode (*report)(const ErrorRecord&));

// The end that comes now is that of main().
void ending_is_ours();

}  // namespace scalemark::cli
