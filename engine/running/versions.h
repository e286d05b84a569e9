// Which libraries this engine was built with and runs with, for the report and the preflight.
#pragma once

#include <map>
#include <string>

#include "core/reporting/report.h"

namespace scalemark::running {

// libtorch always; cuda, cudnn and nccl when the CUDA part is loaded.
std::map<std::string, reporting::LibraryVersion> library_versions(bool with_cuda);

}  // namespace scalemark::running
