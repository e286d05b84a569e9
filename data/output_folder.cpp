#include "data/output_folder.h"

#include "core/base/error.h"

namespace scalemark::data {

namespace fs = std::filesystem;

void refuse_non_empty(const fs::path& dir, bool overwrite) {
  std::error_code failed;
  if (!fs::exists(dir, failed)) return;
  if (!fs::is_directory(dir, failed)) throw cannot_create(dir.string() + " is a file", "a folder");
  const bool empty = fs::is_empty(dir, failed);
  if (failed) throw cannot_create(dir.string() + ": " + failed.message());
  if (empty || overwrite) return;
  throw cannot_create(dir.string() + " is not empty", "a new or empty folder",
                      "choose another folder, or pass --overwrite");
}

}  // namespace scalemark::data
