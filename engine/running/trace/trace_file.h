// The file of a rank's trace. Kineto writes it and tells nobody when it could not: it is read
// again.
#pragma once

#include <filesystem>

#include "engine/running/trace/traced_steps.h"

namespace scalemark::running {

// "FOLDER/rank0.pt.trace.json": the ending that TensorBoard's profiler plugin looks for.
std::filesystem::path trace_file(const std::filesystem::path& folder, int rank);

// Removes the traces of ranks from `first` on: an earlier run with more ranks left them, and they
// would be taken for this one's. Best effort.
void remove_traces_from(const std::filesystem::path& folder, int first);

// Makes the folder and replaces the file. Throws cannot_create() (73), io_error() (74); then no
// file remains.
void write_trace(const StepTrace& trace, const std::filesystem::path& file);

}  // namespace scalemark::running
