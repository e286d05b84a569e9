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

// Holds the parts of a run in the folders into which several runs may write, those of --tensorboard
// and --trace, from before its first file until it ends: of two runs with one part, FOLDER/GROUP,
// the later is refused, and replaces nothing of the other.
class RunFolders {
 public:
  // Makes and locks the folders of these groups, or, of very many groups, all of FOLDER: each lock
  // is an open file. Throws cannot_create() (73) where another run holds one.
  RunFolders(const settings::Settings& settings, const std::set<std::string>& groups);
  ~RunFolders();  // removes those that it made and that are still empty
  RunFolders(const RunFolders&) = delete;
  RunFolders& operator=(const RunFolders&) = delete;

 private:
  // Whether the folder is to be held, and now there: it has no lock of its own, nor has it one yet.
  bool make(const std::string& option, const std::filesystem::path& place);
  void share(const std::string& option, const std::filesystem::path& folder);
  void hold(const std::string& option, const std::filesystem::path& folder);

  std::filesystem::path output_;             // has a lock of its own
  std::set<std::filesystem::path> known_;    // these are held: two options may name one folder
  std::vector<std::filesystem::path> made_;  // an outer one before those in it
  std::vector<Descriptor> shared_;
  std::vector<reporting::LockedFile> held_;
};

// Holds those of the command's runs, for the process that is there from the first run to the last:
// the built-in launcher, or rank 0 of another one; null in any other. Throws as RunFolders, and as
// refuse_used_folders() for runs that ended between the first look and the lock.
std::unique_ptr<RunFolders> lock_folders(RankCommand& command);

}  // namespace scalemark::cli
