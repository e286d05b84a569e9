// journal.jsonl while it is written: one line per event, one process at a time. Knows nothing of
// what the lines say.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace scalemark::reporting {

// A descriptor whose file this process has for itself until it is closed, however that happens.
class LockedFile {
 public:
  // Opens with `flags` of open(2). The lock is of the file that stands there afterwards, not of one
  // that was removed meanwhile. Throws cannot_create() (73), also when another process holds it.
  // File systems without locks have to do without.
  LockedFile(const std::filesystem::path& file, int flags);
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockedFile& operator=(LockedFile&&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Appends lines to a file, each written whole and fsynced, or not at all.
class Journal {
 public:
  // Makes the file where there is none, and changes nothing in one that is there. Throws as
  // LockedFile.
  explicit Journal(const std::filesystem::path& file);

  bool empty() const;
  void clear();  // throws cannot_create() (73)
  // Half a last line (a run was killed while writing) is cut off, so that the next line is no part
  // of it. Throws cannot_create() (73).
  void mend();

  void append(std::string_view line);  // throws io_error() (74); the file then ends as before

 private:
  std::filesystem::path file_;
  LockedFile locked_;
};

}  // namespace scalemark::reporting
