// Which libraries this engine was built with and runs with, for the report and the preflight.
#pragma once

#include <map>
#include <string>

#include "engine/distributed/backend.h"
#include "report/record/report.h"

namespace scalemark::process {

// Names the libtorch that was loaded, as its wheel does ("2.11.0+cpu"); the one that this engine
// was built with when its folder has no version.py.
std::string loaded_torch_version();

// libtorch always; cuda and cudnn when the CUDA plugin is loaded; `backends`, the libraries that
// carry messages (nccl, mpi); of a build from changed sources, which no commit names, the program's
// own libraries by their build ids.
std::map<std::string, reporting::LibraryVersion> library_versions(
    bool with_cuda, const std::map<std::string, distributed::LibraryVersion>& backends = {});

// Which builds of this program's own libraries run here, by what their linker wrote into them:
// "scalemark_engine" -> 40 hexadecimal digits, for each loaded library of the program: two builds
// that differ in code differ here. Empty where the linker writes no build id.
std::map<std::string, std::string> build_ids();

}  // namespace scalemark::process
