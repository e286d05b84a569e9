// Checks that an output file can be written, before the work whose result it holds.
#pragma once

#include <string>

namespace scalemark::cli {

// Looks only. `named` says who asked for it: "--save". Throws cannot_create() (73) when its folder
// is not there or cannot be written to, and when `path` is a folder.
void refuse_unwritable_file(const std::string& named, const std::string& path);

// The same of a folder, which is made if it is not there.
void refuse_unwritable_folder(const std::string& named, const std::string& path);

}  // namespace scalemark::cli
