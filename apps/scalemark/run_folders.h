// The folders into which several runs may write, each its own part: those of --tensorboard and
// --trace. A run's part is FOLDER/GROUP.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apps/scalemark/rank_command.h"
#include "core/base/atomic_file.h"
#include "core/reporting/output/disk.h"
#include "core/settings/settings.h"

namespace scalemark::cli {

// Holds the parts of a run, from before its first file until it ends: of two runs with one part the
// later is refused, and replaces nothing of the other.
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
std::unique_ptr<RunFolders> hold_folders(RankCommand& command);

}  // namespace scalemark::cli
