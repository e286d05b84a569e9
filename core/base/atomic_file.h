// A file that appears under its name when it is complete and on the disk, or not at all: a
// temporary file beside it, fsync, rename, fsync of the folder. Knows nothing of what is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace scalemark {

// "cannot VERB FILE: reason" of errno `error`: E_CANNOT_CREATE (73) for "create", else E_IO (74).
Error file_failure(const char* verb, const std::filesystem::path& file, int error);

// Makes the Error for a failed operation on a file.
using FileFailure = Error (*)(const char* verb, const std::filesystem::path& file, int error);

// Flushes `folder` to the disk: it stores new and changed names, the files do not.
void sync_folder(const std::filesystem::path& folder, FileFailure failure = file_failure);

class AtomicFile {
 public:
  // `temporary`: the file's name until it is complete; empty: a name that no other process uses.
  explicit AtomicFile(std::filesystem::path path, std::filesystem::path temporary = {},
                      FileFailure failure = file_failure);
  ~AtomicFile();  // without commit: nothing remains
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes, std::int64_t at);
  // Adds the bytes after those appended before.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

  // Replaces an existing file.
  void commit();
  // Keeps an existing file; that is no error.
  void commit_unless_there();

 private:
  void flush();
  void sync() const;
  [[noreturn]] void fail(const char* verb) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // beside it, so that renaming stays in one file system
  FileFailure failure_;
  std::int64_t appended_ = 0;
  int descriptor_ = -1;
  bool moved_ = false;
};

}  // namespace scalemark
