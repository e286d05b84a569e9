// The libraries with which this engine was built and runs, for the report, and what ranks compare
// before they begin.
#pragma once

#include <map>
#include <string>

#include "engine/distributed/backend.h"
#include "engine/distributed/rendezvous.h"
#include "engine/process/run_request.h"
#include "report/record/report.h"

namespace scalemark::process {

// Names the loaded libtorch as its wheel does ("2.11.0+cpu"), or the one with which this engine was
// built when its folder has no version.py.
std::string loaded_torch_version();

// Returns libtorch always; cuda and cudnn when the CUDA plugin is loaded; `backends`, the libraries
// that carry messages (nccl, mpi); and for a build from changed sources, which no commit names, the
// program's own libraries by their build ids.
std::map<std::string, reporting::LibraryVersion> library_versions(
    bool with_cuda, const std::map<std::string, distributed::LibraryVersion>& backends = {});

// Returns the build id, as the linker wrote it, of each loaded library of this program:
// "scalemark_engine" -> 40 hexadecimal digits. Two builds with different code have different ids.
// Empty where the linker writes none.
std::map<std::string, std::string> build_ids();

// Returns what every rank of any command must have in common with rank 0: settings that may not
// differ, and the versions of program and libraries.
distributed::Facts common_facts(const RunRequest& request);

}  // namespace scalemark::process
