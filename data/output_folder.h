// The folder that generated data goes to. Knows nothing of what is made.
#pragma once

#include <filesystem>

#include "core/base/atomic_file.h"

namespace scalemark::data {

// Throws cannot_create (73) where `dir` is a file, or a folder with something in it and `overwrite`
// is false.
void refuse_non_empty(const std::filesystem::path& dir, bool overwrite);

// The same; then makes the folder, with those above it, and holds it for as long as the result
// lives: of two processes that make data in one folder the later is refused (73), too. On file
// systems without locks there is none.
Descriptor hold_output_folder(const std::filesystem::path& dir, bool overwrite);

}  // namespace scalemark::data
