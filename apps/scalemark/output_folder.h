// The folder that a run writes into: never one that holds something else.
#pragma once

#include <string>

namespace scalemark::cli {

// Throws E_OUTPUT_NOT_EMPTY (73) for a folder that is not empty, unless `overwrite`;
// cannot_create() (73) for a path that is no folder.
void refuse_used_folder(const std::string& folder, bool overwrite);

// Creates it with its parents. Throws cannot_create() (73).
void create_folder(const std::string& folder);

}  // namespace scalemark::cli
