// A file that appears under its name when it is complete and on the disk, or not at all. Knows
// nothing of what is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace scalemark::data {

class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);  // throws cannot_create (73)
  ~AtomicFile();                                    // without commit(): nothing remains
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Both throw io_error (74), a full disk for example.
  void write(std::span<const std::byte> bytes, std::int64_t at);
  void commit();

 private:
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // beside it, so that renaming stays in one file system
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace scalemark::data
