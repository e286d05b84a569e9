// The folder that generated data goes to. Knows nothing of what is made.
#pragma once

#include <filesystem>

namespace scalemark::data {

// Throws cannot_create (73) where `dir` is a file, or a folder with something in it and `overwrite`
// is false.
void refuse_non_empty(const std::filesystem::path& dir, bool overwrite);

}  // namespace scalemark::data
