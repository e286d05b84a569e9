// Where launchers look for the reason of a rank's end. The engine writes these files for what
// happens inside it; this is for what happens before.
#pragma once

#include "core/base/error.h"

namespace scalemark::cli {

// Writes the files that this process's environment names, if any. Never throws: the error itself
// matters more than the copy; what cannot be written is a note on stderr.
void write_error_files(const ErrorRecord& record);

}  // namespace scalemark::cli
