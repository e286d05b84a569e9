// Where the program's own libraries stand.
#pragma once

#include <filesystem>

namespace scalemark::cli {

// The folder of the running program: libscalemark_engine.so and the others stand beside it. Throws
// system_error() when /proc is not there.
std::filesystem::path library_folder();

}  // namespace scalemark::cli
