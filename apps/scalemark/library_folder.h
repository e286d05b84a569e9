// The folder of the program's own libraries.
#pragma once

#include <filesystem>

namespace scalemark::cli {

// The folder of the running program: libscalemark_engine.so and the others are in it, too. Throws
// system_error() when /proc is not there.
std::filesystem::path library_folder();

}  // namespace scalemark::cli
