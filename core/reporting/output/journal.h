// journal.jsonl while it is written: one line per event, one process at a time. Knows nothing of
// what the lines say.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace scalemark::reporting {

// A descriptor whose file this process holds locked until it is closed, even by a crash.
class LockedFile {
 public:
  // Opens with `flags` of open(2). Locks the file that has the name then, not one that was removed
  // meanwhile. Throws cannot_create() (73), also when another process holds the lock. On file
  // systems without locks there is none.
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
  // Creates the file if it is missing; does not change an existing one. Throws as LockedFile.
  explicit Journal(const std::filesystem::path& file);

  bool empty() const;
  void clear();  // throws cannot_create() (73)
  // Cuts off an incomplete last line (a run was killed while writing), so that the next line starts
  // on its own. Throws cannot_create() (73).
  void mend();

  void append(std::string_view line);  // throws io_error() (74); the file then ends as before

 private:
  std::filesystem::path file_;
  LockedFile locked_;
};

}  // namespace scalemark::reporting
