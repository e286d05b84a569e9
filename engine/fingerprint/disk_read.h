// How fast data come from the disk and how many JPEG images one core decodes, from files that are
// made for it and that nobody keeps. Knows no data set of a user's.
#pragma once

#include <filesystem>

#include "report/record/records.h"

namespace scalemark::fingerprint {

// A folder for files that a measurement makes and nobody keeps. Knows nothing of what is in it.
class ScratchFolder {
 public:
  // Made within `parent`, or within the nearest folder above it that exists. Throws cannot_create()
  // (73), naming the path and the system's reason.
  explicit ScratchFolder(const std::filesystem::path& parent);
  ~ScratchFolder();  // with all that is in it
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// How fast a file is read from the disk below a folder, past the system's cache. Linux only.
// Makes a file of up to 256 MiB, removed again, and reads it 1 MiB at a time, one request after the
// other: with O_DIRECT, else dropping the file from the cache (posix_fadvise) before each pass. Has
// a reason instead of a value where the folder is in memory (tmpfs). Throws io_error() (74).
reporting::FingerprintRecord disk_read(const std::filesystem::path& folder, double seconds);

// How many JPEG images one core decodes and crops for training, through the loader of the data
// part.
// Makes images below `folder` (`threads` draw them; ImageNet's sizes, around 500 x 375), then loads
// batches on one thread: read from the system's cache, decode, random crop to 224 x 224. Throws
// what making and loading images throw.
reporting::FingerprintRecord image_loader(const std::filesystem::path& folder, int threads,
                                          double seconds);

}  // namespace scalemark::fingerprint
