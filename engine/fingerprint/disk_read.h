// How fast data come from the disk, and how many JPEG images one core decodes, measured with
// temporary files of its own. Knows no data set of a user's.
#pragma once

#include <filesystem>

#include "report/record/records.h"

namespace scalemark::fingerprint {

// A temporary folder for a measurement's files. Knows nothing of its contents.
class ScratchFolder {
 public:
  // Makes the folder within `parent`, or within the nearest existing folder above it. Throws
  // cannot_create() (73), naming the path and the system's reason.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();  // removes the folder with its contents
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Measures how fast a file in a folder is read from the disk, past the system's cache. Linux only.
// Makes a file of up to 256 MiB, which it removes again, and reads it 1 MiB at a time, one request
// after the other: with O_DIRECT, or else after dropping the file from the cache (posix_fadvise)
// before each pass. Has a reason instead of a value where the folder is in memory (tmpfs). Throws
// io_error() (74).
reporting::FingerprintRecord disk_read(const std::filesystem::path& folder, double seconds);

// Measures how many JPEG images one core decodes and crops for training, through the data part's
// loader. Makes images below `folder` with `threads` threads (ImageNet's sizes, around 500 x 375),
// then loads batches on one thread: read from the system's cache, decode, random crop to 224 x 224.
// Throws what making and loading images throw.
reporting::FingerprintRecord image_loader(const std::filesystem::path& folder, int threads,
                                          double seconds);

}  // namespace scalemark::fingerprint
