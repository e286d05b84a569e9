// Keeps files whole: fully written and synced, or unchanged, and journal.jsonl line by line. Knows
// nothing of their content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace scalemark::reporting {

// Returns nothing when no such file is there. Throws io_error() (74) when it cannot be read for any
// other reason: a file that a failing disk does not show may still exist.
std::optional<std::string> read_if_there(const std::filesystem::path& file);

// Returns 0 when every byte is on the disk, else errno.
int write_all(int descriptor, std::string_view bytes);

// Makes an io_error() (74) that says what could not be done, where, and the system's reason.
Error file_failure(const char* verb, const std::filesystem::path& file, int error);

// Replaces `file` by `text`: writes and syncs a temporary file beside it, renames it, and syncs the
// folder. If that fails (io_error(), 74), the old file is unchanged and no temporary file is left.
void write_atomically(const std::filesystem::path& file, std::string_view text);

// Holds back disk space until release(), so that a run that filled the disk can still record that.
class SpaceReserve {
 public:
  explicit SpaceReserve(std::filesystem::path file) : file_(std::move(file)) {}
  ~SpaceReserve() { release(); }
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  // Returns whether `bytes` are held now. This is best effort, and never throws.
  bool hold(std::size_t bytes);
  void release() noexcept;

 private:
  std::filesystem::path file_;
  std::size_t held_bytes_ = 0;
};

// A killed run may have left the last line of a journal incomplete. Private to this folder.
struct JournalLines {
  std::vector<std::string> lines;  // whole lines, without line ends
  // The file ends within a line, or its last line is whole but lacks the line end.
  bool torn = false;
  std::size_t whole_bytes = 0;  // how many bytes the whole lines take, with their line ends
  bool lacks_line_end = false;  // torn, but nothing is missing except the last line end
};

// A missing file has no lines. Throws bad_data() (65) for a line before the last that is no JSON,
// io_error() (74) for a file that cannot be read.
JournalLines read_journal_lines(const std::filesystem::path& file);

// A descriptor of a file that this process has locked. The lock lasts until the descriptor is
// closed, even by a crash.
class LockedFile {
 public:
  // Opens with `flags` of open(2). Locks the file that has the name at that moment, not one that
  // was removed meanwhile. Throws cannot_create() (73), also when another process holds the lock.
  // On file systems without locks it takes none.
  LockedFile(const std::filesystem::path& file, int flags);
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockedFile& operator=(LockedFile&&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// journal.jsonl while it is written, one line per event, by one process at a time: each line is
// written whole and fsynced, or not at all.
class Journal {
 public:
  // Creates the file if it is missing; does not change an existing one. Throws like LockedFile.
  explicit Journal(const std::filesystem::path& file);

  bool empty() const;
  void clear();  // throws cannot_create() (73)
  // Cuts off an incomplete last line, which a killed run leaves, so that the next line starts on
  // its own. Throws cannot_create() (73).
  void drop_incomplete_line();

  void append(std::string_view line);  // throws io_error() (74); the file then ends as before

 private:
  std::filesystem::path file_;
  LockedFile locked_;
};

}  // namespace scalemark::reporting
