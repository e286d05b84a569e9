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

class AtomicFile {
 public:
  // What its failures are thrown as.
  using Failure = Error (*)(const char* verb, const std::filesystem::path& file, int error);

  // `temporary`: the name until it is complete; empty: a name of this process's own.
  explicit AtomicFile(std::filesystem::path path, std::filesystem::path temporary = {},
                      Failure failure = file_failure);
  ~AtomicFile();  // without commit: nothing remains
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes, std::int64_t at);
  // Behind what was appended before.
  void append(std::span<const std::byte> bytes);
  void append(std::string_view text) { append(std::as_bytes(std::span(text))); }

  // Replaces what stands there.
  void commit();
  // Leaves what stands there as it is; then nothing is thrown.
  void commit_unless_there();

 private:
  void flush();
  void sync_folder() const;
  [[noreturn]] void fail(const char* verb) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // beside it, so that renaming stays in one file system
  Failure failure_;
  std::int64_t appended_ = 0;
  int descriptor_ = -1;
  bool moved_ = false;
};

}  // namespace scalemark
