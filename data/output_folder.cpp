#include "data/output_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

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

Descriptor hold_output_folder(const fs::path& dir, bool overwrite) {
  refuse_non_empty(dir, overwrite);
  std::error_code failed;
  fs::create_directories(dir, failed);
  if (failed) throw cannot_create(dir.string() + ": " + failed.message());
  Descriptor held(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.open()) throw cannot_create(dir.string() + ": " + std::strerror(errno), "a folder");
  if (::flock(held.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw cannot_create("another process makes data in " + dir.string(), {},
                        "wait for its end, or choose another folder");
  }
  refuse_non_empty(dir, overwrite);  // it may have ended between the first look and the lock
  return held;
}

}  // namespace scalemark::data
