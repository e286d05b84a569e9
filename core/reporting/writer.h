// Keeps a report on disk while it grows: journal.jsonl gets one fsynced line per event, report.json
// is always the newest complete version. Knows nothing of what is measured.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/reporting/report.h"

namespace scalemark::reporting {

// kContinue: the folder of an earlier session, whose files are kept and added to.
enum class ExistingFolder { kRefuse, kOverwrite, kContinue };

// Looks only: throws cannot_create() (73) for a path that is no folder and, unless overwriting is
// asked, for a folder that holds anything. What is not there yet is good.
void refuse_used_folder(const std::filesystem::path& folder, ExistingFolder existing);

// Makes the folder, parents too, after refuse_used_folder(). A folder that holds anything is
// refused unless overwriting is asked; then report.json, journal.jsonl and the renderings that a
// sweep writes beside them are removed, so that none of an earlier run stays, and nothing else.
// Throws cannot_create() (73).
void prepare_output_folder(const std::filesystem::path& folder, ExistingFolder existing);

// Appends lines to a file, each written whole and fsynced, or not at all. One process at a time.
class Journal {
 public:
  // Of a file that is there, half a last line (a run was killed while writing) is cut off, so that
  // the next line is no part of it. Throws cannot_create() (73), also when another process holds
  // it.
  explicit Journal(const std::filesystem::path& file);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void append(std::string_view line);  // throws io_error() (74); the file then ends as before

 private:
  std::filesystem::path file_;
  int descriptor_;
};

// Replaces `file` by `text`: temporary file beside it, fsync, rename, fsync of the folder. When it
// fails (io_error(), 74), the old file stands untouched and no temporary file is left.
void write_atomically(const std::filesystem::path& file, std::string_view text);

// Disk space held back, so that a run that filled the disk can still say so: given back by
// release().
class SpaceReserve {
 public:
  explicit SpaceReserve(std::filesystem::path file) : file_(std::move(file)) {}
  ~SpaceReserve() { release(); }
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  void hold(std::size_t bytes);  // best effort; never throws
  void release() noexcept;

 private:
  std::filesystem::path file_;
  std::size_t held_bytes_ = 0;
};

// All methods may be called from any thread. An error while writing is thrown as io_error() (74)
// naming the path and the system's reason; report.json is then still the previous version.
class ReportWriter {
 public:
  // Prepares the folder and writes report.json with status partial at once: a run that is killed
  // leaves one. `report` holds the earlier sessions' points when the folder is continued.
  ReportWriter(std::filesystem::path folder, Report report,
               ExistingFolder existing = ExistingFolder::kRefuse);

  // Each is journalled first; then report.json is rewritten.
  void add_point(PointRecord point, std::vector<Finding> findings = {});
  void add_finding(Finding finding);
  void add_error(ErrorRecord error);

  // Changes what is derived from the points: summaries, sessions. Not journalled.
  void amend(const std::function<void(Report&)>& change);

  // Journal only: "warmup", "window", "epoch" ...; `text` for people, may be empty.
  void event(std::string_view name, std::string_view text = {});

  // Sets status, exit code and end. Later calls only journal: the first close that
  // succeeds decides. Works on a
  // disk that ran full meanwhile: space for it was held back.
  // `before` sees the closed report before it is saved; what it throws leaves it open.
  void close(ReportStatus status, int exit_code,
             const std::function<void(const Report&)>& before = {});

  Report report() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void append(std::string_view event, std::string_view key, const std::string& json);
  void save();

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  Report report_;
  Journal journal_;
  SpaceReserve reserve_;
  bool closed_ = false;
};

}  // namespace scalemark::reporting
