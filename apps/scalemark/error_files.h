// Writes the files in which launchers look for the reason why a rank ended. The engine writes them
// for errors inside it; this is for errors before it runs.
#pragma once

#include "core/base/error.h"

namespace scalemark::cli {

// Writes the files that this process's environment names, if any. Never throws: the error itself
// matters more than the copy; what cannot be written is a note on stderr.
void write_error_files(const ErrorRecord& record);

}  // namespace scalemark::cli
