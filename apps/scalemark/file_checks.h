// Checks the files that options name, before the work that reads or writes them.
#pragma once

#include <set>
#include <string>

#include "core/settings/settings.h"

namespace scalemark::cli {

// Throws no_input (66) for a file or folder that options name and that is not there, or is a pipe.
void refuse_missing_inputs(const settings::Settings& settings);

// Throws system_error() (71) where the folder that this process works in was removed: libraries
// that ask for it end the process then.
void refuse_lost_working_folder();

// Looks only. `named` says who asked for it: "--save". Throws cannot_create() (73) when its folder
// is not there or cannot be written to, when `path` is a folder, and for a device, FIFO or socket
// that cannot be written to. Links are followed.
void refuse_unwritable_file(const std::string& named, const std::string& path);

// The same of a folder, which is made if it is not there.
void refuse_unwritable_folder(const std::string& named, const std::string& path);

// The folders of --tensorboard and --trace: throws as refuse_unwritable_folder() does, and
// cannot_create() (73) where runs of these groups have files there, unless they `may_exist`.
void refuse_used_folders(const settings::Settings& settings, const std::set<std::string>& groups,
                         bool may_exist);

}  // namespace scalemark::cli
