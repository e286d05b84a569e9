#include "engine/fingerprint/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace scalemark::fingerprint {
namespace {

namespace fs = std::filesystem;

fs::path nearest_that_exists(const fs::path& path) {
  std::error_code unknown;
  fs::path folder = fs::absolute(path, unknown);
  while (!fs::is_directory(folder, unknown) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

}  // namespace

ScratchFolder::ScratchFolder(const fs::path& parent) {
  std::string pattern = nearest_that_exists(parent) / ".scalemark-measure-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) {
    throw cannot_create("cannot make " + pattern + ": " + std::strerror(errno),
                        "a folder that can be written to", "name one with --output");
  }
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace scalemark::fingerprint
