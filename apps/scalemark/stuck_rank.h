// The end of a run whose rank 0 could not write it: the launcher had to kill it.
#pragma once

#include <string>

#include "core/launch/local_launcher.h"
#include "report/keep/output_folder.h"

namespace scalemark::cli {

// Where the launcher killed rank 0 after another rank had failed, closes the report that it left
// open: with the error of the rank that failed first, how rank 0 stood, and the stacks of the
// ranks that took some. Prints a note where the folder cannot be written.
void close_for_rank_0(const std::string& folder, const launching::LaunchResult& result,
                      reporting::ExistingFolder existing) noexcept;

}  // namespace scalemark::cli
