// Opens a library that the CUDA device needs.
#pragma once

#include <string>

namespace scalemark::device {

// By full path, its symbols visible to what is loaded later: loaded sonames win over RUNPATH.
// Throws system_error() (71) with the loader's own words.
void* open_library(const std::string& path);

}  // namespace scalemark::device
