// A folder for files that a measurement makes and nobody keeps. Knows nothing of what is in it.
#pragma once

#include <filesystem>

namespace scalemark::fingerprint {

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

}  // namespace scalemark::fingerprint
