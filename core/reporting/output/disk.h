// Files that stay whole: fully written and synced, or unchanged. Knows nothing of their content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace scalemark::reporting {

// Absent when no such file is there. Throws io_error() (74) when it cannot be read for any other
// reason: a file that a failing disk does not show may still exist.
std::optional<std::string> read_if_there(const std::filesystem::path& file);

// 0 when every byte is on the disk, else errno.
int write_all(int descriptor, std::string_view bytes);

// io_error() (74) in words: what could not be done, where, and the system's reason.
Error file_failure(const char* verb, const std::filesystem::path& file, int error);

// Replaces `file` by `text`: temporary file beside it, fsync, rename, fsync of the folder. When it
// fails (io_error(), 74), the old file is unchanged and no temporary file is left.
void write_atomically(const std::filesystem::path& file, std::string_view text);

// Disk space held back, so that a run that filled the disk can still say so: given back by
// release().
class SpaceReserve {
 public:
  explicit SpaceReserve(std::filesystem::path file) : file_(std::move(file)) {}
  ~SpaceReserve() { release(); }
  SpaceReserve(const SpaceReserve&) = delete;
  SpaceReserve& operator=(const SpaceReserve&) = delete;

  // Whether so much is held now: best effort; never throws.
  bool hold(std::size_t bytes);
  void release() noexcept;

 private:
  std::filesystem::path file_;
  std::size_t held_bytes_ = 0;
};

}  // namespace scalemark::reporting
