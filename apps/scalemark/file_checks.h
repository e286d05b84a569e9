// Files and folders that options name are checked before the work that reads or writes them;
// folders into which several runs may write are held until it ends.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/base/atomic_file.h"
#include "core/settings/settings.h"
#include "report/keep/disk.h"

namespace scalemark::cli {

class RankCommand;

// Throws no_input (66) for a file or folder that options name and that is not there, or is a pipe.
void refuse_missing_inputs(const settings::Settings& settings);

// Throws system_error() (71) where the folder that this process works in was removed: libraries
// that ask for it end the process then.
void refuse_lost_working_folder();

// Only checks. `named` is the option that names the file: "--save". Throws cannot_create() (73)
// when its folder is not there or cannot be written to, when `path` is a folder, and for a device,
// FIFO or socket that cannot be written to. Links are followed.
void refuse_unwritable_file(const std::string& named, const std::string& path);

// The same for a folder, which is made if it is not there.
void refuse_unwritable_folder(const std::string& named, const std::string& path);

// The folders of --tensorboard and --trace: throws as refuse_unwritable_folder() does, and
// cannot_create() (73) where runs of these groups have files there, unless they `may_exist`.
void refuse_used_folders(const settings::Settings& settings, const std::set<std::string>& groups,
                         bool may_exist);

// Several runs may write into the folders of --tensorboard and --trace. This locks a run's parts of
// them, FOLDER/GROUP, from before its first file until it ends: a later run with the same part is
// refused, and replaces nothing.
class RunFolders {
 public:
  // Makes and locks the folders of these groups; for very many groups it locks all of FOLDER, since
  // each lock is an open file. Throws cannot_create() (73) where another run holds one.
  RunFolders(const settings::Settings& settings, const std::set<std::string>& groups);
  ~RunFolders();  // removes those of the folders it made that are still empty
  RunFolders(const RunFolders&) = delete;
  RunFolders& operator=(const RunFolders&) = delete;

 private:
  // Makes the folder. False where it needs no lock: it is locked already, or it is the output
  // folder.
  bool make(const std::string& option, const std::filesystem::path& place);
  void share(const std::string& option, const std::filesystem::path& folder);
  void hold(const std::string& option, const std::filesystem::path& folder);

  std::filesystem::path output_;             // the output folder, which has a lock of its own
  std::set<std::filesystem::path> known_;    // folders that are locked: two options may name one
  std::vector<std::filesystem::path> made_;  // folders that were made, outer ones first
  std::vector<Descriptor> shared_;
  std::vector<reporting::LockedFile> held_;
};

// Locks the folders of the command's runs in the process that lasts from the first run to the last:
// the built-in launcher, or rank 0 of another one; null in any other process. Throws as RunFolders
// does, and as refuse_used_folders() for runs that ended between the first check and the lock.
std::unique_ptr<RunFolders> lock_folders(RankCommand& command);

}  // namespace scalemark::cli
