// The folder that a run writes to: makes it, checks it, and locks it against other runs. Knows
// nothing of the content of its files.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "report/keep/disk.h"

namespace scalemark::reporting {

// kContinue: the folder of an earlier session, whose files are kept and added to. kContinueBlock:
// the same for the ranks of one block, whose launcher holds the folder (lock_output_folder()).
enum class ExistingFolder { kRefuse, kOverwrite, kContinue, kContinueBlock };

// Only checks. Throws cannot_create() (73) for a path that is no folder, with kRefuse for a folder
// that holds anything, and with kOverwrite like refuse_foreign_files(). A folder that does not
// exist yet is accepted. `is_of_sweep`: a sweep asks, which can go on with the runs of an earlier
// one.
void refuse_used_folder(const std::filesystem::path& folder, ExistingFolder existing,
                        bool is_of_sweep = false);

// Whether a run writes a file of this name into its folder.
bool is_written_by_runs(std::string_view name);

// Throws cannot_create() (73) where a file of the folder has a name of ours and was not written by
// us, since --overwrite would lose it. `only`: checks this file; empty: all.
void refuse_foreign_files(const std::filesystem::path& folder, std::string_view only = {});

// A checkpoint is a folder step-N, whose name ends in kUnfinished until its manifest is there.
inline constexpr const char* kManifest = "checkpoint.json";
inline constexpr std::string_view kCheckpointPrefix = "step-", kUnfinished = ".unfinished";

// Whether the folder is a checkpoint of a run of ours, finished or not.
bool is_checkpoint(const std::filesystem::path& folder);

// Removes the files of a checkpoint, and its folder unless that holds something else. Throws
// io_error() (74).
void remove_checkpoint(const std::filesystem::path& folder);

// Makes the folder and its parents. Throws cannot_create() (73).
void make_folder(const std::filesystem::path& folder);

// A folder whose journal is locked before anything in it is changed, and until destruction. If two
// runs begin in one folder, the later one fails and changes nothing.
class OutputFolder {
 public:
  // Makes the folder after refuse_used_folder(), and locks. Then, under the lock:
  // kRefuse: the folder is still empty. kOverwrite: the files of an earlier run are removed, and
  // nothing else. kContinue: everything stays; where there is no report.json, only files of ours
  // that hold no run may be there (a session that was killed as it began).
  // Throws cannot_create() (73).
  OutputFolder(std::filesystem::path folder, ExistingFolder existing);

  const std::filesystem::path& path() const { return path_; }
  Journal& journal() { return journal_; }

  // Removes report.md and report.html, which describe an earlier session. Throws cannot_create()
  // (73).
  void remove_renderings() const;

 private:
  friend LockedFile lock_output_folder(const std::filesystem::path&, ExistingFolder);
  void check_again(ExistingFolder existing) const;
  void empty();

  std::filesystem::path path_;
  // Holds the lock on the folder itself. With kContinueBlock its launcher holds it.
  std::optional<LockedFile> hold_;
  Journal journal_;
};

// For a launcher that starts ranks several times: opens the folder like OutputFolder, and keeps
// other runs out while the journal is free for its ranks (kContinueBlock).
LockedFile lock_output_folder(const std::filesystem::path& folder, ExistingFolder existing);

}  // namespace scalemark::reporting
