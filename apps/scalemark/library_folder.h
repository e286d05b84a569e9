// Where the program's own libraries stand.
#pragma once

#include <filesystem>

namespace scalemark::cli {

// The folder of the running program: libscalemark_engine.so and the others stand beside it. Throws
// system_error() when /proc is not there.
std::filesystem::path library_folder();

// Loads `name` from library_folder() and looks `symbol` up. Throws system_error() (71) naming what
// is missing. The library stays loaded.
void* load_symbol(const std::string& name, const char* symbol);

}  // namespace scalemark::cli
